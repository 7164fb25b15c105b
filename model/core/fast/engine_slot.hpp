// A place for an engine between the bus clock and its own: hands over an instruction once, reports a completion once
// (rtl/core/engine_bridge.sv). The engine's clock runs while it has work; edges in which only times pass are left out and made up for.
#pragma once

#include <cstdint>
#include <deque>

#include "model/core/fast/clock_divider.hpp"
#include "model/core/fast/control_types.hpp"

namespace trnsim::tlm::core_fast {

struct EngineSlot {
    explicit EngineSlot(const config::Ratio& ratio) : clock(ratio) {}

    ClockDivider clock;
    bool taken = false;      // the instruction offered, since the last edge of the bus clock
    std::uint32_t done = 0;  // completions not yet reported
    bool seed = false;       // a seed waits for an edge
    std::deque<Origin> under_way;
    std::uint64_t quiet = 0, skipped = 0;  // edges still to be left out; left out and not made up for

    bool passing() const { return taken || done != 0; }
};

}  // namespace trnsim::tlm::core_fast
