#include "runtime/session/server_log.hpp"

#include <algorithm>

#include "model/hbm/organisation.hpp"

namespace trnsim::runtime {
namespace {

using tlm::processes::Message;
using tlm::processes::Reader;
using tlm::processes::Writer;
using FrameKind = tlm::trace::LinkFrame::Kind;

// Moves the events of those places of a chip for which `is_one` holds out of `places`.
template <typename T, typename Predicate>
std::vector<T> take(ByPlace<T>& places, unsigned chip, Predicate&& is_one) {
    std::vector<T> taken;
    for (auto at = places.lower_bound({chip}); at != places.end() && at->first.chip == chip;) {
        if (!is_one(at->first, at->second)) {
            ++at;
            continue;
        }
        taken.insert(taken.end(), at->second.begin(), at->second.end());
        at = places.erase(at);
    }
    std::ranges::stable_sort(taken, {}, &T::end);
    return taken;
}

}  // namespace

void ServerLog::instruction(const tlm::trace::Instruction& instruction) {
    instructions_[{instruction.core.chip, instruction.core.core, instruction.engine}].push_back(instruction);
}

void ServerLog::packet(const tlm::trace::Packet& packet) {
    packets_[{packet.chip, packet.engine, packet.ring}].push_back(packet);
}

void ServerLog::dram_command(const tlm::trace::DramCommand& command) {
    const UnitId place{command.chip, command.stack,
                       command.channel * tlm::hbm::PseudoChannels + command.pseudo};
    if (command.name.starts_with("REF")) refreshes_[place].push_back(command.start);
    if (!command.moves_data()) return;
    std::vector<Moved>& moved = moved_[place];
    if (moved.empty() || moved.back().end != command.data_start ||
        moved.back().write != std::uint64_t{command.write})
        moved.push_back({.start = command.data_start, .write = command.write});
    moved.back().end = command.data_end;
    moved.back().bytes += tlm::hbm::BurstBytes;
}

void ServerLog::link_frame(const tlm::trace::LinkFrame& frame) {
    std::vector<Burst>& bursts = bursts_[{frame.from.chip, frame.from.port}];
    if (bursts.empty() || bursts.back().end != frame.start) bursts.push_back({.start = frame.start});
    Burst& burst = bursts.back();
    burst.end = frame.end;
    burst.flits += frame.flits;
    burst.bytes += frame.kind == FrameKind::Packet ? frame.bytes : 0;
    burst.packets += frame.kind == FrameKind::Packet;
    burst.repetitions += frame.kind == FrameKind::Repetition;
    burst.control += frame.kind == FrameKind::Control;
    using Fate = tlm::trace::LinkFrame::Fate;
    if (frame.fate != Fate::Whole)
        (frame.fate == Fate::Lost ? lost_ : damaged_)[{frame.from.chip, frame.from.port}].push_back(
            frame.start);
}

void ServerLog::link_stall(const tlm::trace::LinkStall& stall) {
    stalls_[{stall.from.chip, stall.from.port}].push_back({stall.start, stall.end});
}

void ServerLog::link_standing(const tlm::trace::LinkEnd& from, std::uint64_t time,
                              const tlm::trace::LinkStanding& standing) {
    const auto state = static_cast<std::uint64_t>(standing.state);
    const auto known = conditions_.find({from.chip, from.port});
    const Condition before = known == conditions_.end() ? Condition{} : known->second.back();
    if (state != before.state || standing.failed_lanes != before.failed_lanes)
        conditions_[{from.chip, from.port}].push_back({time, state, standing.failed_lanes});
    if (standing.retries == 0) return;
    std::vector<std::uint64_t>& retries = retries_[{from.chip, from.port}];
    if (retries.size() < standing.retries) retries.resize(standing.retries, time);
}

void ServerLog::collective_entry(const tlm::trace::CollectiveEntry& entry) {
    entries_[{entry.chip, entry.core, entry.channel}].push_back(entry);
}

std::uint64_t ServerLog::last() const {
    std::uint64_t last = 0;
    const auto look = [&last](const auto& places, auto time) {
        for (const auto& [place, events] : places) last = std::max(last, events.back().*time);
    };
    look(bursts_, &Burst::end);
    look(stalls_, &Interval::end);
    look(packets_, &tlm::trace::Packet::end);
    look(entries_, &tlm::trace::CollectiveEntry::end);
    look(conditions_, &Condition::time);
    return last;
}

std::vector<tlm::trace::Instruction> ServerLog::take_instructions(addresses::CoreId core) {
    return take(instructions_, core.chip,
                [&](const UnitId& place, const auto&) { return place.unit == core.core; });
}

std::vector<tlm::trace::Packet> ServerLog::take_packets(addresses::CoreId core, std::uint32_t rings) {
    return take(packets_, core.chip,
                [&](const UnitId& place, const std::vector<tlm::trace::Packet>& packets) {
                    return place.part < rings && packets.front().core == core.core;
                });
}

std::string ServerLog::bytes() const {
    Message message;
    Writer to(message);
    put(to, instructions_);
    put(to, entries_);
    put(to, packets_);
    put(to, moved_);
    put(to, refreshes_);
    put(to, bursts_);
    put(to, stalls_);
    put(to, retries_);
    put(to, conditions_);
    put(to, damaged_);
    put(to, lost_);
    return {message.begin(), message.end()};
}

void ServerLog::add(const std::string& bytes) {
    Reader from({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
    get(from, instructions_);
    get(from, entries_);
    get(from, packets_);
    get(from, moved_);
    get(from, refreshes_);
    get(from, bursts_);
    get(from, stalls_);
    get(from, retries_);
    get(from, conditions_);
    get(from, damaged_);
    get(from, lost_);
}

}  // namespace trnsim::runtime
