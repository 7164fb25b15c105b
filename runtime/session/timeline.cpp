#include "runtime/session/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/time/time.hpp"
#include "isa/isa_tables.hpp"

namespace trnsim::runtime {
namespace {

constexpr std::array Comparisons{"", ">=", "==", "<="};  // index: isa::WaitMode
constexpr double BytesPerGigabyte = 1e9;

}  // namespace

Timeline::Timeline(const neff::Package& package, Tracks& tracks, addresses::CoreId core)
    : package_(package),
      tracks_(tracks),
      chip_(fmt::format("chip {}", core.chip)),
      core_(name_of(core)),
      queue_semaphores_(package.queues.size()),
      packets_(package.queues.size()) {
    for (std::uint32_t q = 0; q < package.queues.size(); ++q)
        variables_.push_back(neff::transfer_names(package, q));
    for (const neff::Transfer& transfer : package.transfers)
        queue_semaphores_.at(transfer.queue).insert(transfer.semaphore);
    for (std::size_t e = 0; e < engines_.size(); ++e)
        engines_[e].execution = tracks_.add_track(core_, name_of(static_cast<isa::Engine>(e)));
}

Timeline::Ring& Timeline::ring_of(const tlm::trace::Packet& packet) {
    const auto [found, added] = rings_.try_emplace({packet.engine, packet.ring});
    if (added) {
        found->second.track =
            tracks_.add_track(fmt::format("{} dma {}", chip_, packet.engine),
                              fmt::format("ring {} {}", packet.ring, package_.queues[packet.ring].name));
    }
    return found->second;
}

void Timeline::packet(const tlm::trace::Packet& packet) {
    if (packet.ring >= package_.queues.size()) return;
    if (packet.end != packet.start) {
        const double rate = static_cast<double>(packet.bytes) / BytesPerGigabyte *
                            static_cast<double>(FsPerSecond) / static_cast<double>(packet.end - packet.start);
        const std::string counter = fmt::format("{} DMA GB/s", chip_);
        tracks_.change(counter, packet.start, rate);
        tracks_.change(counter, packet.end, -rate);
    }
    // A packet is read while the previous one is still written: the track shows the oldest one.
    Ring& ring = ring_of(packet);
    const std::uint64_t start = std::max(packet.start, std::min(ring.end, packet.end));
    ring.end = packet.end;
    const Argument arguments[] = {{"bytes", packet.bytes},
                                  {"descriptors", std::uint64_t{packet.descriptors}},
                                  {"source", packet.source},
                                  {"destination", packet.destination}};
    tracks_.slice(ring.track, variables_[packet.ring], start, packet.end, arguments);
    packets_[packet.ring].push_back({ring.track, packet.end});
}

std::optional<Timeline::Point> Timeline::last_change(std::uint8_t semaphore, std::uint64_t time) const {
    std::optional<Point> last;
    const auto look = [&](const std::vector<Point>& points) {
        const auto after = std::ranges::upper_bound(points, time, {}, &Point::time);
        if (after != points.begin() && (!last || std::prev(after)->time > last->time))
            last = *std::prev(after);
    };
    for (std::size_t q = 0; q < packets_.size(); ++q) {
        if (queue_semaphores_[q].contains(semaphore)) look(packets_[q]);
    }
    if (const auto updates = updates_.find(semaphore); updates != updates_.end()) look(updates->second);
    return last;
}

void Timeline::wait(Engine& engine, const tlm::trace::Instruction& event,
                    const isa::Instruction& instruction) {
    const std::uint64_t mode = instruction.get(isa::field::WaitMode);
    const std::uint64_t from = std::min(engine.issued.value_or(*first_), event.start);
    if (mode == 0 || from == event.start) return;
    if (!engine.has_wait) {
        engine.has_wait = true;
        engine.wait = tracks_.add_track(
            core_, fmt::format("{} waits", name_of(static_cast<isa::Engine>(event.engine))));
    }
    const auto semaphore = static_cast<std::uint8_t>(instruction.get(isa::field::WaitSem));
    const Argument arguments[] = {{"pc", std::uint64_t{event.pc}}};
    tracks_.slice(
        engine.wait,
        fmt::format("S[{}] {} {}", semaphore, Comparisons.at(mode), instruction.get(isa::field::WaitValue)),
        from, event.start, arguments);
    const std::optional<Point> changed = last_change(semaphore, event.start);
    if (changed) tracks_.flow(changed->track, changed->time, engine.execution, event.start);
}

void Timeline::instruction(const tlm::trace::Instruction& event, const isa::Instruction& instruction,
                           std::uint64_t ideal_cycles, std::span<const Argument> arguments) {
    if (!first_) first_ = event.start;
    Engine& engine = engines_.at(event.engine);
    const std::string_view name = instruction.info() == nullptr ? "illegal" : instruction.info()->name;
    const std::uint64_t execution = std::min(std::max(event.start, engine.end), event.end);
    wait(engine, event, instruction);
    if (execution > event.start) {
        if (!engine.has_queue) {
            engine.has_queue = true;
            engine.queue = tracks_.add_track(
                core_, fmt::format("{} queue", name_of(static_cast<isa::Engine>(event.engine))));
        }
        const Argument place[] = {{"pc", std::uint64_t{event.pc}}};
        tracks_.slice(engine.queue, name, std::max(event.start, engine.queue_end), execution, place);
        engine.queue_end = execution;
    }
    tracks_.slice(engine.execution, name, execution, event.end, arguments);
    if (ideal_cycles != 0 && event.end > execution) {
        const double cycle = static_cast<double>(event.end - event.start) /
                             static_cast<double>(event.completion_cycle - event.issue_cycle);
        const double share = std::min(
            1.0, static_cast<double>(ideal_cycles) * cycle / static_cast<double>(event.end - execution));
        const std::string counter = core_ + " array utilisation";
        tracks_.change(counter, execution, share);
        tracks_.change(counter, event.end, -share);
    }
    const std::string under_way =
        fmt::format("{} {} instructions", core_, name_of(static_cast<isa::Engine>(event.engine)));
    tracks_.change(under_way, event.start, 1);
    tracks_.change(under_way, event.end, -1);
    engine.issued = event.start;
    engine.end = event.end;
    if (instruction.get(isa::field::UpdateMode) != 0)
        updates_[static_cast<std::uint8_t>(instruction.get(isa::field::UpdateSem))].push_back(
            {engine.execution, event.end});
}

}  // namespace trnsim::runtime
