// How much later than the drain says a run may go on after a checkpoint, and how much later or sooner it may end, from its parts.
// Core cycles.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "arch/config/config.hpp"
#include "base/time/cycles.hpp"
#include "compiler/neff/package.hpp"
#include "testbench/parity/observation.hpp"

namespace trnsim::test {

inline std::uint64_t cycles_of(const config::Config& config, std::uint64_t time) {
    return time_to_cycles(time, config.core.clock);
}

// How a run goes on from the moment of a checkpoint.
enum class Goes { On, OnWithOther, OnFromFile };

// From the moment at which the system is quiescent to the first instruction. There is always one that can begin then, as nothing else
// is left that it could wait for. It waits for its program alone, which all sequencers of another model fetch anew.
inline std::uint64_t longest_restart(const config::Config& config, Goes goes) {
    constexpr std::uint64_t RunAhead = 256;  // the core's clock may be so far ahead of the rest of the system
    constexpr std::uint64_t Own = 8;         // ticks of the bus clock: request, beat, decoding, issue
    const config::Ratio& bus = config.core.clock_ratio.bus;
    const auto cycles = [&bus](std::uint64_t ticks) { return ticks * bus.denominator / bus.numerator; };
    std::uint64_t sum = cycles(Own);
    if (goes != Goes::OnFromFile) sum += RunAhead;
    if (goes != Goes::On) {
        sum += cycles_of(config, 2 * config.fabric.latency + config::unloaded_read_latency(config.hbm));
        // Sequencers take turns: a request and a burst of each other one may come first, a tick for each request and each beat.
        sum += cycles((neff::EngineCount - 1) * (1 + config.core.fetch.burst));
    }
    return sum;
}

// The cycles of an instruction up to its first element, which a queue that is not empty hides. It is paid once: behind that instruction the
// queues fill as they do in any run.
inline std::uint64_t longest_issue(const config::Core& core) {
    const auto cycles = [](std::uint64_t count, const config::Ratio& clock) {
        return count * clock.denominator / clock.numerator;
    };
    const auto lanes = [&cycles](const config::ElementwiseEngine& engine, const config::Ratio& clock) {
        return cycles(engine.issue_latency + engine.dependent_latency, clock);
    };
    return std::max({cycles(core.tensor.issue_latency, core.clock_ratio.tensor),
                     lanes(core.vector, core.clock_ratio.vector),
                     lanes(core.scalar, core.clock_ratio.scalar)});
}

// The time in which transfers may have stood behind packets of other rings, from cycle `from` on. A DMA engine takes its rings in
// turn, packet by packet, so of whatever ring a packet waits, one of another ring is at work that a packet of another ring follows.
inline std::uint64_t turns(std::vector<parity::Packet> packets, std::uint64_t from) {
    std::ranges::sort(packets, {}, [](const parity::Packet& p) { return std::tuple(p.engine, p.start); });
    std::vector<std::pair<std::uint64_t, std::uint64_t>> spans;
    for (std::size_t i = 1; i < packets.size(); ++i) {
        const parity::Packet &packet = packets[i - 1], &next = packets[i];
        if (packet.engine == next.engine && packet.ring != next.ring && packet.end > from)
            spans.emplace_back(std::max(packet.start, from), packet.end);
    }
    // Engines share a transfer: spans of several that overlap are one.
    std::ranges::sort(spans);
    std::uint64_t sum = 0, end = 0;
    for (const auto& [first, last] : spans) {
        sum += std::max(last, end) - std::max(first, end);
        end = std::max(last, end);
    }
    return sum;
}

// The most by which the end of a run differs from the end of another one of the same kernel, beside what one of them stood still.
//
// Follow what a run waited for from its end back to the moment. The instructions and transfers on this path depend on each other in
// the other run as well and take as long there, so that the other run ends no sooner but for what the path waited for in this run
// only: empty queues, and turns at DMA engines. The latter are not the same in both: what a transfer waits for may have ended in the
// drain, and then it comes beside transfers that it came behind before.
inline std::uint64_t largest_shift(const config::Config& config, const parity::Observation& run,
                                   std::uint64_t from) {
    constexpr std::uint64_t EndSlice = 100'000'000;  // fs between two looks for the end of a run
    return longest_issue(config.core) + cycles_of(config, EndSlice) + turns(run.packets, from);
}

}  // namespace trnsim::test
