// SBUF and PSUM as the block tests see them: rows of one 32-bit word per partition, in the geometry of
// configs/trn1.yaml.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace trnsim::test {

constexpr unsigned Lanes = 128;
constexpr unsigned Quadrant = Lanes / 4;
constexpr std::uint32_t SbufBytes = 192 * 1024;
constexpr std::uint32_t PsumBytes = 16 * 1024;
constexpr std::uint32_t PsumBase = 0x2000000;

using Row = std::array<std::uint32_t, Lanes>;

struct Memories {
    std::vector<Row> sbuf = std::vector<Row>(SbufBytes / 4);
    std::vector<Row> psum = std::vector<Row>(PsumBytes / 4);

    std::vector<Row>& of(bool in_psum) { return in_psum ? psum : sbuf; }
    const std::vector<Row>& of(bool in_psum) const { return in_psum ? psum : sbuf; }
};

}  // namespace trnsim::test
