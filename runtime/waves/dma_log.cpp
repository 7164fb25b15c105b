#include "runtime/waves/dma_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "arch/addresses/addresses.hpp"
#include "base/time/time.hpp"
#include "isa/isa_tables.hpp"
#include "runtime/waves/levels.hpp"

namespace trnsim::waves {
namespace {

enum QueueSignal : std::size_t { Name, Transfer, Pending, Packets, Bytes, QueueSignals };
enum Total : std::size_t { AllBytes, Engines, Totals };

constexpr std::uint64_t Semaphores = 256, SemaphoreBytes = 4;
constexpr const char* NoTransfer = "-";

std::size_t signal_of(std::uint32_t queue, QueueSignal signal) {
    return Totals + queue * QueueSignals + signal;
}

}  // namespace

// Returns whether the packet is the last one of an engine's share of a transfer, which tells the core.
bool DmaLog::ends_share(const tlm::trace::Packet& packet) const {
    const std::uint64_t first = addresses::core_window(core_.core) + isa::window::SemInc;
    return packet.destination >= first && packet.destination < first + Semaphores * SemaphoreBytes;
}

void DmaLog::instruction(const tlm::trace::Instruction& event) {
    if (event.core != core_) return;
    const auto& program = package_.programs.at(event.engine);
    if (event.pc >= program.size() || program[event.pc].opcode() != isa::Opcode::DmaTrigger) return;
    const std::size_t transfer = program[event.pc].get(isa::field::Address);
    triggered_[package_.transfers.at(transfer).queue].push_back({event.start, transfer});
}

void DmaLog::packet(const tlm::trace::Packet& packet) {
    if (addresses::CoreId{packet.chip, packet.core} != core_ || packet.ring >= package_.queues.size()) return;
    packets_.push_back(packet);
    packets_.back().engine -= core_.core * static_cast<std::uint32_t>(package_.target.dma_engines);
}

std::vector<Signal> DmaLog::signals() const {
    std::vector<Signal> signals(Totals);
    signals[AllBytes] = {"", "bytes", WordBits};
    signals[Engines] = {"", "engines", WordBits};
    for (std::size_t queue = 0; queue < package_.queues.size(); ++queue) {
        const std::string scope = fmt::format("queue[{}]", queue);
        signals.push_back({scope, "name", 0});
        signals.push_back({scope, "transfer", 0});
        for (const char* name : {"pending", "packets", "bytes"}) signals.push_back({scope, name, WordBits});
    }
    return signals;
}

std::vector<Change> DmaLog::changes() const {
    const auto queues = static_cast<std::uint32_t>(package_.queues.size());
    Levels levels(Totals + queues * QueueSignals);
    // The bit of an engine is set while it has packets in flight; bits of different engines add up.
    std::map<std::uint32_t, std::map<std::uint64_t, int>> at_work;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> shares;  // ended, by queue and engine
    std::map<std::pair<std::uint32_t, std::size_t>, std::vector<std::uint64_t>> ends;  // by queue and number
    for (const tlm::trace::Packet& packet : packets_) {
        const auto add = [&](std::size_t signal, std::int64_t by) {
            levels.add(signal, packet.start, by);
            levels.add(signal, packet.end, -by);
        };
        add(AllBytes, static_cast<std::int64_t>(packet.bytes));
        add(signal_of(packet.ring, Bytes), static_cast<std::int64_t>(packet.bytes));
        add(signal_of(packet.ring, Packets), 1);
        ++at_work[packet.engine][packet.start];
        --at_work[packet.engine][packet.end];
        if (ends_share(packet))
            ends[{packet.ring, shares[{packet.ring, packet.engine}]++}].push_back(packet.end);
    }
    for (const auto& [engine, times] : at_work) {
        int packets = 0;
        for (const auto& [time, by] : times) {
            const bool worked = packets != 0;
            packets += by;
            if ((packets != 0) != worked)
                levels.add(Engines, time, (worked ? -1 : 1) * (std::int64_t{1} << engine));
        }
    }

    std::vector<Change> changes;
    for (std::uint32_t queue = 0; queue < queues; ++queue) {
        changes.push_back({0, signal_of(queue, Name), 0, package_.queues[queue].name});
        changes.push_back({0, signal_of(queue, Transfer), 0, NoTransfer});
        const auto triggered = triggered_.find(queue);
        std::uint64_t free = 0;  // fs at which the previous transfer was complete
        for (std::size_t i = 0; triggered != triggered_.end() && i < triggered->second.size(); ++i) {
            const Triggered& transfer = triggered->second[i];
            levels.add(signal_of(queue, Pending), transfer.time, 1);
            const std::uint64_t begin = std::max(transfer.time, free);
            changes.push_back(
                {begin / FsPerPs, signal_of(queue, Transfer), 0, package_.transfers[transfer.transfer].name});
            const auto& ended = ends[{queue, i}];
            if (ended.size() < static_cast<std::size_t>(package_.target.dma_engines)) break;  // still at work
            free = std::max(begin, std::ranges::max(ended));
            levels.add(signal_of(queue, Pending), free, -1);
            const bool next = i + 1 < triggered->second.size() && triggered->second[i + 1].time <= free;
            if (!next) changes.push_back({free / FsPerPs, signal_of(queue, Transfer), 0, NoTransfer});
        }
        for (const QueueSignal signal : {Pending, Packets, Bytes})
            levels.collect(signal_of(queue, signal), changes);
    }
    for (const Total total : {AllBytes, Engines}) levels.collect(total, changes);
    std::ranges::stable_sort(changes, {}, &Change::time);
    return changes;
}

}  // namespace trnsim::waves
