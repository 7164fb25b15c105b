// Rows of a view for any lane, extracted from the rows of all lanes in a recording of the whole core.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/waves/recording.hpp"

namespace trnsim::waves {

// Returns lines of a save file: fp32 values of the lane, which GTKWave shows with the filter. Empty when the
// view is not of an engine with lanes, or the recording does not have them.
std::vector<std::string> lane_lines(const std::string& view, const Recording& recording, std::uint32_t lane,
                                    const std::string& filter);

}  // namespace trnsim::waves
