#include "runtime/waves/lane.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "runtime/waves/signals.hpp"

namespace trnsim::waves {
namespace {

struct LaneRow {
    const char* view;
    const char* label;
    const char* signal;  // below EnginesScope, without its range: a row of 32-bit words, lane 0 in the lowest
};

constexpr const char* EnginesScope = "core.neuron_core.u_engines.";

constexpr std::array LaneRows{
    LaneRow{"tensor", "moving operand", "g_slot[0].g_tensor.u_tensor.moving[0]"},
    LaneRow{"tensor", "result", "g_slot[0].g_tensor.u_tensor.data[0]"},
    LaneRow{"vector", "a", "g_slot[1].g_vector.u_vector.u_execute.u_lanes.a_i"},
    LaneRow{"vector", "b", "g_slot[1].g_vector.u_vector.u_execute.u_lanes.b_i"},
    LaneRow{"vector", "after operation 0", "g_slot[1].g_vector.u_vector.u_execute.u_lanes.x_q"},
    LaneRow{"vector", "result", "g_slot[1].g_vector.u_vector.u_execute.u_lanes.y_q"},
    LaneRow{"vector", "accumulator", "g_slot[1].g_vector.u_vector.u_execute.u_lanes.acc_q"},
    LaneRow{"scalar", "a", "g_slot[2].g_scalar.u_scalar.a_value"},
    LaneRow{"scalar", "z", "g_slot[2].g_scalar.u_scalar.u_execute.u_lanes.z_q"},
    LaneRow{"scalar", "result", "g_slot[2].g_scalar.u_scalar.u_execute.u_lanes.y_q"},
    LaneRow{"scalar", "accumulator", "g_slot[2].g_scalar.u_scalar.u_execute.u_lanes.accumulator_q"},
};

// Returns "NAME[511:0]" of the recording; empty: it has none.
std::string ranged(const Recording& recording, const std::string& name) {
    const auto found = recording.signals.lower_bound(name + "[");
    return found != recording.signals.end() && found->starts_with(name + "[") ? *found : "";
}

std::uint32_t width_of(const std::string& ranged) {
    const std::size_t range = ranged.rfind('[') + 1;
    std::uint32_t high = 0;
    std::from_chars(ranged.data() + range, ranged.data() + ranged.size(), high);
    return high + 1;
}

}  // namespace

std::vector<std::string> lane_lines(const std::string& view, const Recording& recording, std::uint32_t lane,
                                    const std::string& filter) {
    std::vector<std::string> lines;
    for (const LaneRow& row : LaneRows) {
        const std::string signal =
            view == row.view ? ranged(recording, std::string(EnginesScope) + row.signal) : "";
        if (signal.empty() || width_of(signal) < (lane + 1) * WordBits) continue;
        // The bits of a lane, from the highest on; they are counted from the highest of the row.
        const std::uint32_t first = width_of(signal) - (lane + 1) * WordBits;
        std::string line = fmt::format("#{{{}}}", row.label);
        for (std::uint32_t bit = first; bit < first + WordBits; ++bit)
            line += fmt::format(" ({}){}", bit, signal);
        lines.insert(lines.end(), {"@4022", filter, std::move(line)});
    }
    if (lines.empty()) return lines;
    const std::string title = fmt::format("-Lane {}", lane);
    lines.insert(lines.begin(), {"@800200", title});
    lines.insert(lines.end(), {"@1000200", title});
    return lines;
}

}  // namespace trnsim::waves
