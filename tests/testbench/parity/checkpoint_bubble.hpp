// Computes, from its parts, how much later than the drain a run may go on after a checkpoint, and how much
// later or sooner it may end. Unit: core cycles.
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

// The ways in which a run goes on after a checkpoint.
enum class Goes { On, OnWithOther, OnFromFile };

// Returns the longest time from quiescence to the first instruction. Some instruction can always begin then,
// as nothing is left for it to wait for. It waits only for its program, which all sequencers of another model
// fetch again.
inline std::uint64_t longest_restart(const config::Config& config, Goes goes) {
    constexpr std::uint64_t RunAhead = 256;  // cycles; the core's clock may be so far ahead
    constexpr std::uint64_t Own = 8;         // ticks of the bus clock: request, beat, decoding, issue
    const config::Ratio& bus = config.core.clock_ratio.bus;
    const auto cycles = [&bus](std::uint64_t ticks) { return ticks * bus.denominator / bus.numerator; };
    std::uint64_t sum = cycles(Own);
    if (goes != Goes::OnFromFile) sum += RunAhead;
    if (goes != Goes::On) {
        sum += cycles_of(config, 2 * config.fabric.latency + config::unloaded_read_latency(config.hbm));
        // Sequencers take turns: a request and a burst of each other sequencer may come first, with a tick
        // for each request and each beat.
        sum += cycles((neff::EngineCount - 1) * (1 + config.core.fetch.burst));
    }
    return sum;
}

// Returns the cycles of an instruction up to its first element, which a queue that is not empty hides. They
// are paid once: after that instruction the queues fill as in any run.
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

// Returns the time in which transfers may have waited for packets of other rings, from cycle `from` on. A DMA
// engine serves its rings in turn, packet by packet: while a packet waits, a packet of another ring is at
// work and a packet of another ring follows it.
inline std::uint64_t turns(std::vector<parity::Packet> packets, std::uint64_t from) {
    std::ranges::sort(packets, {}, [](const parity::Packet& p) { return std::tuple(p.engine, p.start); });
    std::vector<std::pair<std::uint64_t, std::uint64_t>> spans;
    for (std::size_t i = 1; i < packets.size(); ++i) {
        const parity::Packet &packet = packets[i - 1], &next = packets[i];
        if (packet.engine == next.engine && packet.ring != next.ring && packet.end > from)
            spans.emplace_back(std::max(packet.start, from), packet.end);
    }
    // Several engines share a transfer, so spans of several engines that overlap count once.
    std::ranges::sort(spans);
    std::uint64_t sum = 0, end = 0;
    for (const auto& [first, last] : spans) {
        sum += std::max(last, end) - std::max(first, end);
        end = std::max(last, end);
    }
    return sum;
}

// Returns the most by which the end of a run differs from that of another run of the same kernel, in addition
// to the time that one of them stood still.
//
// Follow the waits of a run from its end back to the checkpoint. The instructions and transfers on this path
// depend on each other in the other run as well and take as long there. So the other run can end sooner only
// by the waits that this run alone has on the path: empty queues, and turns at DMA engines. The turns differ
// between the runs: the work that a transfer waits for may have ended in the drain, and then the transfer
// runs beside transfers that it came after before.
inline std::uint64_t largest_shift(const config::Config& config, const parity::Observation& run,
                                   std::uint64_t from) {
    constexpr std::uint64_t EndSlice = 100'000'000;  // fs between two checks for the end of a run
    return longest_issue(config.core) + cycles_of(config, EndSlice) + turns(run.packets, from);
}

}  // namespace trnsim::test
