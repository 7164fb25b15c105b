// Facts that the wrapper's AXI ports share.
#pragma once

#include <cstdint>

#include "base/time/time.hpp"

namespace trnsim::tlm {

inline constexpr std::uint8_t AxiOkay = 0, AxiSlaveError = 2;  // responses

// fs, the unit of the random delays of what the core itself requests.
inline constexpr std::uint64_t RequestPerturbUnit = 20 * FsPerNs;

}  // namespace trnsim::tlm
