#include "runtime/session/server_timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "arch/addresses/pooled.hpp"
#include "arch/collective_cores/registers.hpp"
#include "model/hbm/organisation.hpp"
#include "runtime/session/observer.hpp"

namespace trnsim::runtime {
namespace {

using tlm::hbm::PseudoChannels;
using tlm::trace::CollectiveEntry;
using tlm::trace::Packet;

bool is_flag(std::uint64_t address) {
    return addresses::local_of(address) - collective_cores::Base < collective_cores::Bytes;
}

class Layout {
  public:
    Layout(const ServerLog& log, const tlm::neuronlink::Topology& topology, Tracks& tracks)
        : log_(log), neighbours_(topology.neighbours()), tracks_(tracks) {}

    void chip(unsigned number) {
        chip_ = number;
        add_all(log_.entries());
        add_all(log_.packets());
        add_all(log_.moved());
        add_all(log_.bursts());
        add_all(log_.conditions());
    }

  private:
    template <typename T>
    void add_all(const ByPlace<T>& places) {
        for (auto at = places.lower_bound({chip_}); at != places.end() && at->first.chip == chip_; ++at)
            add(at->first, at->second);
    }
    std::uint32_t track(const std::string& name) {
        return tracks_.add_track(fmt::format("chip {}", chip_), name);
    }

    void add(const UnitId& place, const std::vector<CollectiveEntry>& entries) {
        const auto on = track(fmt::format("collective core {} channel {}", place.unit, place.part));
        for (const CollectiveEntry& entry : entries) {
            const Argument arguments[] = {{"flags", std::uint64_t{entry.waits}},
                                          {"doorbells", std::uint64_t{entry.doorbells}}};
            tracks_.slice(on, fmt::format("entry {}", entry.entry), entry.start, entry.end, arguments);
        }
    }

    // A packet is read while the previous one is still written: the track shows the oldest one.
    void add(const UnitId& place, const std::vector<Packet>& packets) {
        const auto on = track(fmt::format("dma {} ring {}", place.unit, place.part));
        std::uint64_t end = 0;
        for (const Packet& packet : packets) {
            const Argument arguments[] = {{"bytes", packet.bytes},
                                          {"descriptors", std::uint64_t{packet.descriptors}},
                                          {"source", packet.source},
                                          {"destination", packet.destination}};
            tracks_.slice(on, name_of(packet), std::max(packet.start, end), packet.end, arguments);
            end = packet.end;
        }
    }

    void add(const UnitId& place, const std::vector<ServerLog::Moved>& moved) {
        const auto on = track(fmt::format("hbm {} channel {} pseudo channel {}", place.unit,
                                          place.part / PseudoChannels, place.part % PseudoChannels));
        for (const ServerLog::Moved& data : moved) {
            const Argument arguments[] = {{"bytes", data.bytes}};
            tracks_.slice(on, data.write != 0 ? "write" : "read", data.start, data.end, arguments);
        }
        mark(on, "refresh", log_.refreshes(), place);
    }

    std::string link_name(const UnitId& place) const {
        const auto& to = neighbours_.at(chip_).at(place.unit);
        return fmt::format("link {} to {}", name_of(tlm::neuronlink::End{chip_, place.unit}),
                           to ? name_of(*to) : "nowhere");
    }

    void add(const UnitId& place, const std::vector<ServerLog::Burst>& bursts) {
        const std::string name = link_name(place);
        const auto on = track(name);
        for (const ServerLog::Burst& burst : bursts) {
            const Argument arguments[] = {{"bytes", burst.bytes},
                                          {"flits", burst.flits},
                                          {"packets", burst.packets},
                                          {"repeated packets", burst.repetitions},
                                          {"control frames", burst.control}};
            tracks_.slice(on, "frames", burst.start, burst.end, arguments);
        }
        mark(on, "retry", log_.retries(), place);
        mark(on, "wrong bits", log_.damaged(), place);
        mark(on, "lost frame", log_.lost(), place);
        const auto stalls = log_.stalls().find(place);
        if (stalls == log_.stalls().end()) return;
        const auto waits = track(name + " waits");
        for (const ServerLog::Interval& stall : stalls->second)
            tracks_.slice(waits, "no credits", stall.start, stall.end, {});
    }

    // A condition lasts until the next one, the last one until the end of the log.
    void add(const UnitId& place, const std::vector<ServerLog::Condition>& conditions) {
        using State = tlm::trace::LinkStanding::State;
        const auto on = track(link_name(place) + " faults");
        for (auto at = conditions.begin(); at != conditions.end(); ++at) {
            const bool up = at->state == static_cast<std::uint64_t>(State::Up);
            if (up && at->failed_lanes == 0) continue;
            const char* what = up                                                     ? "lanes"
                               : at->state == static_cast<std::uint64_t>(State::Down) ? "down"
                                                                                      : "training";
            const std::uint64_t end = at + 1 == conditions.end() ? log_.last() : (at + 1)->time;
            const Argument arguments[] = {{"failed lanes", at->failed_lanes}};
            tracks_.slice(on, what, at->time, std::max(at->time, end), arguments);
        }
    }

    void mark(std::uint32_t on, const char* what, const ByPlace<std::uint64_t>& times, const UnitId& place) {
        const auto found = times.find(place);
        if (found == times.end()) return;
        for (const std::uint64_t time : found->second) tracks_.instant(on, what, time);
    }

    const ServerLog& log_;
    const std::vector<std::array<std::optional<tlm::neuronlink::End>, tlm::neuronlink::Ports>> neighbours_;
    Tracks& tracks_;
    unsigned chip_ = 0;
};

}  // namespace

std::string name_of(const Packet& packet) {
    const auto elsewhere = [&](std::uint64_t address) {
        const std::optional<unsigned> chip = addresses::chip_of(address);
        return chip == packet.chip ? std::nullopt : chip;
    };
    const char* what = is_flag(packet.destination) ? "flag" : "data";
    if (const auto to = elsewhere(packet.destination)) return fmt::format("{} to chip {}", what, *to);
    if (const auto from = elsewhere(packet.source)) return fmt::format("{} from chip {}", what, *from);
    return what;
}

// The events that an instruction has waited for ended before it, so they come first.
void lay_out_kernels(ServerLog& log, std::span<const CoreKernel> kernels, Tracks& tracks) {
    for (const CoreKernel& kernel : kernels) {
        const auto rings = static_cast<std::uint32_t>(kernel.package->queues.size());
        const std::vector<Packet> packets = log.take_packets(kernel.core, rings);
        Observer observer(*kernel.package, &tracks, kernel.core);
        auto packet = packets.begin();
        for (const tlm::trace::Instruction& instruction : log.take_instructions(kernel.core)) {
            for (; packet != packets.end() && packet->end <= instruction.end; ++packet)
                observer.packet(*packet);
            observer.instruction(instruction);
        }
        for (; packet != packets.end(); ++packet) observer.packet(*packet);
    }
}

void lay_out(const ServerLog& log, const tlm::neuronlink::Topology& topology, Tracks& tracks) {
    Layout layout(log, topology, tracks);
    for (unsigned chip = 0; chip < topology.chips; ++chip) layout.chip(chip);
}

}  // namespace trnsim::runtime
