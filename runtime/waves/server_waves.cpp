#include "runtime/waves/server_waves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "model/hbm/command.hpp"
#include "runtime/session/server_timeline.hpp"
#include "runtime/waves/hbm_log.hpp"
#include "runtime/waves/scope_maker.hpp"
#include "runtime/waves/scopes.hpp"

namespace trnsim::waves {
namespace {

using runtime::ByPlace;
using runtime::UnitId;
using tlm::neuronlink::End;
using tlm::trace::CollectiveEntry;
using tlm::trace::LinkFrame;
using tlm::trace::LinkStanding;
using tlm::trace::Packet;

constexpr std::array FrameNames{"packet", "packet again", "control"};  // by LinkFrame::Kind
constexpr std::array StateNames{"up", "down", "training"};             // by LinkStanding::State
constexpr unsigned CountBits = 16, ChannelBits = 2;

template <typename T>
const std::vector<T>& at(const ByPlace<T>& places, const UnitId& place) {
    static const std::vector<T> none;
    const auto found = places.find(place);
    return found == places.end() ? none : found->second;
}

// A signal with a text from one time to another, and "-" between texts.
class Text {
  public:
    Text(ScopeMaker& out, std::size_t signal) : out_(out), signal_(signal) { out_.set(signal_, 0, NoText); }
    ~Text() {
        if (end_ != 0) out_.set(signal_, end_, NoText);
    }
    Text(const Text&) = delete;
    Text& operator=(const Text&) = delete;

    // Call it in the order of time.
    void show(std::uint64_t start, std::uint64_t end, std::string text) {
        if (end_ < start) out_.set(signal_, end_, NoText);
        out_.set(signal_, start, std::move(text));
        end_ = end;
    }

  private:
    ScopeMaker& out_;
    std::size_t signal_;
    std::uint64_t end_ = 0;
};

std::string scope_of(End end) {
    const std::string name = name_of(end);  // "3.E"
    return fmt::format("chip[{}]{}", end.chip, name.substr(name.find('.')));
}

void add_frames(ScopeMaker& out, const std::string& scope, const std::vector<LinkFrame>& frames) {
    Text frame(out, out.add(scope, "frame", 0));
    const std::size_t count = out.add(scope, "frames", WordBits), flits = out.add(scope, "flits", CountBits),
                      channel = out.add(scope, "channel", ChannelBits);
    for (const std::size_t number : {count, flits, channel}) out.set(number, 0, 0);
    std::uint64_t sent = 0;
    for (const LinkFrame& one : frames) {
        frame.show(one.start, one.end, FrameNames.at(static_cast<std::size_t>(one.kind)));
        out.set(count, one.start, ++sent);
        out.set(flits, one.start, one.flits);
        out.set(channel, one.start, one.channel);
    }
}

void add_standings(ScopeMaker& out, const std::string& scope,
                   const std::vector<ServerWaves::Standing>& standings) {
    const std::size_t state = out.add(scope, "state", 0);
    std::array<std::size_t, LinkStanding::Channels> credits{};
    for (std::size_t c = 0; c < credits.size(); ++c)
        credits[c] = out.add(scope, fmt::format("credits{}", c), CountBits);
    const std::size_t stalled = out.add(scope, "stalled", 1), replay = out.add(scope, "replay", CountBits),
                      repeats = out.add(scope, "repeats", 1), retries = out.add(scope, "retries", WordBits);
    for (const auto& [time, is] : standings) {
        out.set(state, time, StateNames.at(static_cast<std::size_t>(is.state)));
        for (std::size_t c = 0; c < credits.size(); ++c) out.set(credits[c], time, is.credits[c]);
        out.set(stalled, time, std::uint64_t{is.stalled});
        out.set(replay, time, is.replay);
        out.set(repeats, time, std::uint64_t{is.repeats});
        out.set(retries, time, is.retries);
    }
}

Scope links(const tlm::neuronlink::Topology& topology, const ByPlace<LinkFrame>& frames,
            const ByPlace<ServerWaves::Standing>& standings) {
    ScopeMaker out(LinksScope);
    const auto neighbours = topology.neighbours();
    for (unsigned chip = 0; chip < topology.chips; ++chip) {
        for (unsigned port = 0; port < tlm::neuronlink::Ports; ++port) {
            const std::optional<End>& to = neighbours[chip][port];
            if (!to) continue;
            const std::string scope = scope_of({chip, port});
            out.set(out.add(scope, "to", 0), 0, name_of(*to));
            add_standings(out, scope, at(standings, {chip, port}));
            add_frames(out, scope, at(frames, {chip, port}));
        }
    }
    return out.finish();
}

Scope collectives(const ByPlace<CollectiveEntry>& places) {
    ScopeMaker out(CollectivesScope);
    for (const auto& [place, entries] : places) {
        const std::string scope =
            fmt::format("chip[{}].core[{}].channel[{}]", place.chip, place.unit, place.part);
        const std::size_t number = out.add(scope, "entry", WordBits), waits = out.add(scope, "waits", 1),
                          doorbells = out.add(scope, "doorbells", WordBits);
        for (const std::size_t signal : {number, waits, doorbells}) out.set(signal, 0, 0);
        std::uint64_t rung = 0;
        for (const CollectiveEntry& entry : entries) {
            out.set(number, entry.start, entry.entry);
            out.set(waits, entry.start, 1);
            out.set(waits, entry.end, 0);
            out.set(number, entry.end, entry.entry + 1);
            out.set(doorbells, entry.end, rung += entry.doorbells);
        }
    }
    return out.finish();
}

// Adds the totals of all rings of a chip: bytes in flight, and a bit for each engine that moves some.
void add_totals(ScopeMaker& out, unsigned chip, const ByPlace<Packet>& places) {
    const std::string scope = fmt::format("chip[{}]", chip);
    const std::size_t bytes = out.add(scope, "bytes", WordBits),
                      engines = out.add(scope, "engines", WordBits);
    Levels levels(engines + 1);
    std::map<unsigned, std::map<std::uint64_t, int>> at_work;  // packets of an engine, by time
    for (auto place = places.lower_bound({chip}); place != places.end() && place->first.chip == chip;
         ++place) {
        for (const Packet& packet : place->second) {
            levels.add(bytes, packet.start, static_cast<std::int64_t>(packet.bytes));
            levels.add(bytes, packet.end, -static_cast<std::int64_t>(packet.bytes));
            ++at_work[place->first.unit][packet.start];
            --at_work[place->first.unit][packet.end];
        }
    }
    for (const auto& [engine, times] : at_work) {
        int packets = 0;
        for (const auto& [time, by] : times) {
            const std::int64_t worked = packets != 0, works = (packets += by) != 0;
            levels.add(engines, time, (works - worked) * (std::int64_t{1} << engine));
        }
    }
    out.set(bytes, levels);
    out.set(engines, levels);
}

void add_ring(ScopeMaker& out, const UnitId& place, const std::vector<Packet>& packets) {
    const std::string scope = fmt::format("chip[{}].engine[{}].ring[{}]", place.chip, place.unit, place.part);
    Text oldest(out, out.add(scope, "packet", 0));
    const std::size_t count = out.add(scope, "packets", WordBits), bytes = out.add(scope, "bytes", WordBits);
    Levels levels(bytes + 1);
    std::uint64_t end = 0;
    for (const Packet& packet : packets) {
        oldest.show(std::max(packet.start, end), packet.end, runtime::name_of(packet));
        end = packet.end;
        levels.add(count, packet.start, 1);
        levels.add(count, packet.end, -1);
        levels.add(bytes, packet.start, static_cast<std::int64_t>(packet.bytes));
        levels.add(bytes, packet.end, -static_cast<std::int64_t>(packet.bytes));
    }
    out.set(count, levels);
    out.set(bytes, levels);
}

Scope dma(const ByPlace<Packet>& places) {
    ScopeMaker out(DmaScope);
    std::optional<unsigned> chip;
    for (const auto& [place, packets] : places) {
        if (chip != place.chip) add_totals(out, place.chip, places);
        chip = place.chip;
        add_ring(out, place, packets);
    }
    return out.finish();
}

Scope hbm(const ByPlace<ServerWaves::Command>& places) {
    Scope all{HbmScope, {}, {}};
    for (auto place = places.begin(); place != places.end();) {
        const unsigned chip = place->first.chip;
        HbmLog log;
        for (; place != places.end() && place->first.chip == chip; ++place) {
            for (const auto& [name, is] : place->second) {
                tlm::trace::DramCommand command = is;
                command.chip = 0;
                command.name = tlm::hbm::CommandNames.at(name);
                log.dram_command(command);
            }
        }
        const std::size_t first = all.signals.size();
        for (Signal signal : log.signals()) {
            signal.scope = fmt::format("chip[{}].{}", chip, signal.scope);
            all.signals.push_back(std::move(signal));
        }
        for (Change change : log.changes()) {
            change.signal += first;
            all.changes.push_back(std::move(change));
        }
    }
    std::ranges::stable_sort(all.changes, {}, &Change::time);
    return all;
}

}  // namespace

void ServerWaves::dram_command(const tlm::trace::DramCommand& command) {
    const auto name = std::ranges::find(tlm::hbm::CommandNames, command.name);
    commands_[{command.chip, command.stack}].push_back(
        {static_cast<std::size_t>(name - tlm::hbm::CommandNames.begin()), command});
}

void ServerWaves::packet(const Packet& packet) {
    packets_[{packet.chip, packet.engine, packet.ring}].push_back(packet);
}

void ServerWaves::link_frame(const LinkFrame& frame) {
    frames_[{frame.from.chip, frame.from.port}].push_back(frame);
}

void ServerWaves::link_standing(const tlm::trace::LinkEnd& from, std::uint64_t time,
                                const LinkStanding& standing) {
    standings_[{from.chip, from.port}].push_back({time, standing});
}

void ServerWaves::collective_entry(const CollectiveEntry& entry) {
    entries_[{entry.chip, entry.core, entry.channel}].push_back(entry);
}

std::vector<Scope> ServerWaves::scopes(const tlm::neuronlink::Topology& topology) const {
    std::vector<Scope> scopes{links(topology, frames_, standings_), collectives(entries_), dma(packets_)};
    if (!commands_.empty()) scopes.push_back(hbm(commands_));
    return scopes;
}

std::string ServerWaves::bytes() const {
    tlm::processes::Message message;
    tlm::processes::Writer to(message);
    put(to, frames_);
    put(to, standings_);
    put(to, entries_);
    put(to, packets_);
    put(to, commands_);
    return {message.begin(), message.end()};
}

void ServerWaves::add(const std::string& bytes) {
    tlm::processes::Reader from({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
    get(from, frames_);
    get(from, standings_);
    get(from, entries_);
    get(from, packets_);
    get(from, commands_);
}

}  // namespace trnsim::waves
