// Rows of a view for any lane, taken out of the rows of all lanes that a recording of the whole core has.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/waves/recording.hpp"

namespace trnsim::waves {

// Lines of a save file: fp32 values of the lane as GTKWave shows them with the filter. Empty when the view is
// of no engine with lanes, or the recording does not have them.
std::vector<std::string> lane_lines(const std::string& view, const Recording& recording, std::uint32_t lane,
                                    const std::string& filter);

}  // namespace trnsim::waves
