#include "lib/runtime/timeline.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "isa/isa_tables.hpp"
#include "lib/base/time/time.hpp"

namespace trnsim::runtime {
namespace {

constexpr std::array Comparisons{"", ">=", "==", "<="};  // by isa::WaitMode
constexpr double BytesPerGigabyte = 1e9;
constexpr const char* Throughput = "DMA GB/s";
constexpr const char* Utilisation = "array utilisation";

std::optional<std::uint32_t> ring_of(std::string_view group, std::string_view name) {
    constexpr std::string_view Ring = "ring ";
    if (!group.starts_with("dma ") || !name.starts_with(Ring)) return std::nullopt;
    std::uint32_t ring = 0;
    const auto [end, error] = std::from_chars(name.data() + Ring.size(), name.data() + name.size(), ring);
    return error == std::errc() ? std::optional(ring) : std::nullopt;
}

}  // namespace

Timeline::Timeline(const neff::Package& package, tlm::trace::Sink& sink)
    : package_(package),
      sink_(sink),
      variables_(package.queues.size()),
      queue_semaphores_(package.queues.size()),
      packets_(package.queues.size()) {
    std::vector<std::set<std::string>> names(package.queues.size());
    for (const neff::Transfer& transfer : package.transfers) {
        names.at(transfer.queue).insert(transfer.name);
        queue_semaphores_[transfer.queue].insert(transfer.semaphore);
    }
    for (std::size_t q = 0; q < names.size(); ++q)
        variables_[q] = fmt::format("{}", fmt::join(names[q], ", "));
    for (std::size_t e = 0; e < engines_.size(); ++e)
        engines_[e].execution = sink_.add_track("engines", name_of(static_cast<isa::Engine>(e)));
}

std::uint32_t Timeline::add_track(std::string_view group, std::string_view name) {
    Track track;
    track.ring = ring_of(group, name);
    if (track.ring && *track.ring < package_.queues.size()) {
        track.handle = sink_.add_track(group, fmt::format("{} {}", name, package_.queues[*track.ring].name));
    } else {
        track.handle = sink_.add_track(group, name);
        track.ring.reset();
    }
    tracks_.push_back(track);
    return static_cast<std::uint32_t>(tracks_.size() - 1);
}

void Timeline::slice(std::uint32_t number, std::string_view name, std::uint64_t start, std::uint64_t end,
                     std::span<const tlm::trace::Argument> arguments) {
    Track& track = tracks_.at(number);
    if (!track.ring) {
        sink_.slice(track.handle, name, start, end, arguments);
        return;
    }
    for (const tlm::trace::Argument& argument : arguments) {
        const auto* bytes = std::get_if<std::uint64_t>(&argument.value);
        if (argument.name != "bytes" || bytes == nullptr || end == start) continue;
        const double rate = static_cast<double>(*bytes) / BytesPerGigabyte *
                            static_cast<double>(FsPerSecond) / static_cast<double>(end - start);
        sink_.change(Throughput, start, rate);
        sink_.change(Throughput, end, -rate);
    }
    // A packet is read while the one before is still written: the track shows which one is oldest.
    start = std::max(start, std::min(track.end, end));
    track.end = end;
    sink_.slice(track.handle, variables_[*track.ring], start, end, arguments);
    packets_[*track.ring].push_back({track.handle, end});
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
        engine.wait = sink_.add_track(
            "engines", fmt::format("{} waits", name_of(static_cast<isa::Engine>(event.engine))));
    }
    const auto semaphore = static_cast<std::uint8_t>(instruction.get(isa::field::WaitSem));
    const tlm::trace::Argument arguments[] = {{"pc", std::uint64_t{event.pc}}};
    sink_.slice(
        engine.wait,
        fmt::format("S[{}] {} {}", semaphore, Comparisons.at(mode), instruction.get(isa::field::WaitValue)),
        from, event.start, arguments);
    const std::optional<Point> changed = last_change(semaphore, event.start);
    if (changed) sink_.flow(changed->track, changed->time, engine.execution, event.start);
}

void Timeline::instruction(const tlm::trace::Instruction& event, const isa::Instruction& instruction,
                           std::uint64_t ideal_cycles, std::span<const tlm::trace::Argument> arguments) {
    if (!first_) first_ = event.start;
    Engine& engine = engines_.at(event.engine);
    const std::string_view name = instruction.info() == nullptr ? "illegal" : instruction.info()->name;
    const std::uint64_t execution = std::min(std::max(event.start, engine.end), event.end);
    wait(engine, event, instruction);
    if (execution > event.start) {
        if (!engine.has_queue) {
            engine.has_queue = true;
            engine.queue = sink_.add_track(
                "engines", fmt::format("{} queue", name_of(static_cast<isa::Engine>(event.engine))));
        }
        const tlm::trace::Argument place[] = {{"pc", std::uint64_t{event.pc}}};
        sink_.slice(engine.queue, name, std::max(event.start, engine.queue_end), execution, place);
        engine.queue_end = execution;
    }
    sink_.slice(engine.execution, name, execution, event.end, arguments);
    if (ideal_cycles != 0 && event.end > execution) {
        const double cycle = static_cast<double>(event.end - event.start) /
                             static_cast<double>(event.completion_cycle - event.issue_cycle);
        const double share = std::min(
            1.0, static_cast<double>(ideal_cycles) * cycle / static_cast<double>(event.end - execution));
        sink_.change(Utilisation, execution, share);
        sink_.change(Utilisation, event.end, -share);
    }
    const std::string under_way =
        fmt::format("{} instructions", name_of(static_cast<isa::Engine>(event.engine)));
    sink_.change(under_way, event.start, 1);
    sink_.change(under_way, event.end, -1);
    engine.issued = event.start;
    engine.end = event.end;
    if (instruction.get(isa::field::UpdateMode) != 0)
        updates_[static_cast<std::uint8_t>(instruction.get(isa::field::UpdateSem))].push_back(
            {engine.execution, event.end});
}

}  // namespace trnsim::runtime
