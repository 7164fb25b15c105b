// Instructions of the GpSimd cores as text: RV32IMF with Zicsr, Zifencei and Zve32f, in the syntax of the
// assembler without aliases. It does not check whether an instruction is legal under a vtype.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace trnsim::firmware {

// Returns "addi a0, a0, 0x1", "vle32.v v8, (a0), v0.t"; branches and jumps with their target, "jal zero,
// 0x80002c00", or without a pc with their offset, "jal zero, .-0x10". Bits that are no instruction: ".word
// 0x00000000".
std::string disassemble(std::uint32_t instruction, std::optional<std::uint32_t> pc = {});

// Returns "mstatus", or "0x7c0" for a CSR that the cores do not have.
std::string csr_name(std::uint32_t number);

}  // namespace trnsim::firmware
