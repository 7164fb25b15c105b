// Random code for GpSimd cores: that of their co-simulation (tests/common/riscv). lockstep.hpp cannot include
// that code, as programs of the sequencers have the same name there.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace trnsim::test {

// integer, floating point, three of vectors, segments, everything, streams
constexpr unsigned StreamKinds = 8;

// Returns the bytes of a whole TCM. A core that starts at its beginning ends in wfi; its mailbox holds the
// firmware's magic number.
std::vector<std::uint8_t> gpsimd_stream(std::mt19937_64& random, unsigned kind, std::uint32_t vlen);

// Returns code that reads and writes counters, and allows interrupts at some times, once a command has woken
// it. It answers no command.
std::vector<std::uint8_t> gpsimd_interrupts(std::mt19937_64& random);

}  // namespace trnsim::test
