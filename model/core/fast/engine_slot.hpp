// The interface of an engine between the bus clock and its own clock: it hands over an instruction once and
// reports a completion once (rtl/core/engine_bridge.sv). The engine's clock runs while it has work; edges in
// which only times pass are skipped and made up for later.
#pragma once

#include <cstdint>
#include <deque>

#include "model/core/fast/clock_divider.hpp"
#include "model/core/fast/control_types.hpp"

namespace trnsim::tlm::core_fast {

struct EngineSlot {
    explicit EngineSlot(const config::Ratio& ratio) : clock(ratio) {}

    ClockDivider clock;
    bool taken = false;      // offered instruction taken since the last edge of the bus clock
    std::uint32_t done = 0;  // completions not yet reported
    bool seed = false;       // a seed waits for an edge
    std::deque<Origin> under_way;
    std::uint64_t quiet = 0, skipped = 0;  // edges to be skipped; skipped and not made up for

    bool passing() const { return taken || done != 0; }
};

}  // namespace trnsim::tlm::core_fast
