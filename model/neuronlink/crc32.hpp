// CRC-32C: the Castagnoli polynomial 0x1EDC6F41; bits are reflected, the register starts as ones and is
// inverted at the end.
#pragma once

#include <cstdint>
#include <span>

namespace trnsim::tlm::neuronlink {

std::uint32_t crc32(std::span<const std::uint8_t> bytes);

}  // namespace trnsim::tlm::neuronlink
