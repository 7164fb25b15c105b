// Places in SBUF and PSUM, in the geometry of configs/trn1.yaml.
#pragma once

#include <cstdint>

namespace trnsim::random_programs {

constexpr unsigned Lanes = 128;
constexpr unsigned Quadrant = Lanes / 4;
constexpr std::uint32_t SbufBytes = 192 * 1024;
constexpr std::uint32_t PsumBytes = 16 * 1024;
constexpr std::uint32_t PsumBase = 0x2000000;

// A range of bytes of every partition of a memory.
struct Area {
    bool psum;
    std::uint32_t offset, bytes;
};

}  // namespace trnsim::random_programs
