// Registers of a GpSimd core by their GDB numbers, and the target description that has these numbers.
//
// 0 to 31: x0 to x31, 32: pc, 33 to 64: f0 to f31, from 65 on CSRs by their number, then v0 to v31.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/core/gpsimd_debug.hpp"

namespace trnsim::gdb {

constexpr unsigned PcRegister = 32, GeneralRegisters = 65;  // number of registers in packet `g`

// Returns bytes, little-endian; nothing if there is no such register.
std::optional<std::vector<std::uint8_t>> read_register(const tlm::GpsimdDebugPort& port, unsigned core,
                                                       unsigned number);
// Returns false if there is no such register, if it cannot be written, or if it has another size.
bool write_register(tlm::GpsimdDebugPort& port, unsigned core, unsigned number,
                    std::span<const std::uint8_t> bytes);

// Returns XML for qXfer:features:read.
std::string target_description(const tlm::GpsimdDebugPort& port);

}  // namespace trnsim::gdb
