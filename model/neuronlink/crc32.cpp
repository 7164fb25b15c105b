#include "model/neuronlink/crc32.hpp"

#include <array>

namespace trnsim::tlm::neuronlink {
namespace {

constexpr std::uint32_t Reflected = 0x82f63b78;  // 0x1EDC6F41, lowest power first

constexpr std::array<std::uint32_t, 256> make_table() {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t rest = byte;
        for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ ((rest & 1) != 0 ? Reflected : 0);
        table[byte] = rest;
    }
    return table;
}

}  // namespace

std::uint32_t crc32(std::span<const std::uint8_t> bytes) {
    static constexpr std::array<std::uint32_t, 256> Table = make_table();
    std::uint32_t rest = ~0u;
    for (const std::uint8_t byte : bytes) rest = rest >> 8 ^ Table[(rest ^ byte) & 0xff];
    return ~rest;
}

}  // namespace trnsim::tlm::neuronlink
