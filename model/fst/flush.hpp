// How often a waveform in the making is brought to the disk: what a killed program has recorded until then can
// be opened (runtime/waves/recover.hpp). Each time costs the values of all recorded signals.
#pragma once

#include <cstdint>

namespace trnsim::tlm {

inline constexpr std::uint32_t DumpsBetweenFlushes = 1 << 15;

}  // namespace trnsim::tlm
