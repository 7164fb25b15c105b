// Instructions as text.
#pragma once

#include <string>

#include "isa/core_window.hpp"
#include "isa/instruction.hpp"

namespace trnsim::isa {

// Returns one line, for instance
//   multiply_moving dst=psum[0+0x0]{fp32 512:1} a=sbuf[0+0x100]{bf16 512:1} partitions=128 columns=128 wait
//   S[3]>=32 S[4]+=1
// Every operand of the instruction is shown with its own number of elements; a [partitions,1] operand in
// place of a constant is shown by its address. Other fields that are zero are left out; an undefined opcode
// is "illegal 0x..".
std::string disassemble(const Instruction& instruction);

// Returns a core-window address as memory, partition and byte offset; without a stride it uses that of up to
// 128 partitions.
std::string format_address(std::uint32_t address, std::uint32_t sbuf_stride = sbuf_partition_stride(1));

}  // namespace trnsim::isa
