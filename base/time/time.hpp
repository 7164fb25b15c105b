// Times are whole femtoseconds.
#pragma once

#include <cstdint>

namespace trnsim {

constexpr std::uint64_t FsPerPs = 1'000;
constexpr std::uint64_t FsPerNs = 1'000 * FsPerPs;
constexpr std::uint64_t FsPerUs = 1'000 * FsPerNs;
constexpr std::uint64_t FsPerSecond = 1'000'000 * FsPerUs;
constexpr std::uint64_t PsPerSecond = FsPerSecond / FsPerPs;

constexpr double seconds(double fs) {
    return fs / FsPerSecond;
}

}  // namespace trnsim
