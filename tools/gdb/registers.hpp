// Registers of a GpSimd core by the numbers that GDB is told, and the description that tells it.
//
// 0 to 31: x0 to x31, 32: pc, 33 to 64: f0 to f31, from 65 on CSRs by their number, behind all of them v0 to v31.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/core/gpsimd_debug.hpp"

namespace trnsim::gdb {

constexpr unsigned PcRegister = 32, GeneralRegisters = 65;  // the latter: those of packet `g`

// Bytes, little-endian; none: there is no such register.
std::optional<std::vector<std::uint8_t>> read_register(const tlm::GpsimdDebugPort& port, unsigned core,
                                                       unsigned number);
// False: there is none, it cannot be written, or has another size.
bool write_register(tlm::GpsimdDebugPort& port, unsigned core, unsigned number,
                    std::span<const std::uint8_t> bytes);

// XML, for qXfer:features:read.
std::string target_description(const tlm::GpsimdDebugPort& port);

}  // namespace trnsim::gdb
