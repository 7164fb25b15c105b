// The channels of a network: for each, the channels that a packet in its buffer may wait for. A network can
// only be deadlocked if this graph has a cycle.
#pragma once

#include <array>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "model/neuronlink/routing.hpp"

namespace trnsim::test {

class DependencyGraph {
  public:
    using Topology = tlm::neuronlink::Topology;
    using Table = tlm::neuronlink::Table;

    // Takes every buffer and destination for which the tables have an answer, even if no packet gets there.
    // Without `datelines` the two channels of a direction are one.
    DependencyGraph(const Topology& topology, const std::vector<Table>& tables, bool datelines = true)
        : channels_(topology.chips * tlm::neuronlink::Ports * 2), after_(channels_) {
        using tlm::neuronlink::Hop;
        const auto ends = topology.neighbours();
        const auto channel = [&](unsigned chip, unsigned port, unsigned dateline) {
            return (chip * tlm::neuronlink::Ports + port) * 2 + (datelines ? dateline : 0);
        };
        for (unsigned chip = 0; chip < topology.chips; ++chip) {
            for (unsigned input = 0; input < tlm::neuronlink::Ports; ++input) {
                if (!ends[chip][input]) continue;
                const auto from = *ends[chip][input];
                for (unsigned dateline = 0; dateline < 2; ++dateline) {
                    for (unsigned to = 0; to < topology.chips; ++to) {
                        const Hop hop = tables[chip].at(input, dateline, to);
                        if (hop.way != Hop::Way::Onward || hop.port == tlm::neuronlink::Local) continue;
                        after_[channel(from.chip, from.port, dateline)].insert(
                            channel(chip, hop.port, hop.dateline));
                    }
                }
            }
        }
    }

    // Removes channels that no other waits for until none is left or a cycle remains.
    bool has_cycle() const {
        std::vector<unsigned> before(channels_);
        for (const auto& nexts : after_) {
            for (const unsigned next : nexts) ++before[next];
        }
        std::vector<unsigned> ready;
        for (unsigned i = 0; i < channels_; ++i) {
            if (before[i] == 0) ready.push_back(i);
        }
        unsigned removed = 0;
        while (!ready.empty()) {
            const unsigned channel = ready.back();
            ready.pop_back();
            ++removed;
            for (const unsigned next : after_[channel]) {
                if (--before[next] == 0) ready.push_back(next);
            }
        }
        return removed != channels_;
    }

    std::size_t edges() const {
        std::size_t count = 0;
        for (const auto& nexts : after_) count += nexts.size();
        return count;
    }

  private:
    unsigned channels_;
    std::vector<std::set<unsigned>> after_;
};

// Returns the hops of a packet; nothing if it does not arrive within `most` hops.
inline std::optional<unsigned> hops_between(const tlm::neuronlink::Topology& topology,
                                            const std::vector<tlm::neuronlink::Table>& tables, unsigned from,
                                            unsigned to, unsigned most) {
    using tlm::neuronlink::Hop;
    const auto ends = topology.neighbours();
    unsigned chip = from, input = tlm::neuronlink::Local, dateline = 0;
    for (unsigned hops = 0; hops <= most; ++hops) {
        const Hop hop = tables[chip].at(input, dateline, to);
        if (hop.way != Hop::Way::Onward) return std::nullopt;
        if (hop.port == tlm::neuronlink::Local) return chip == to ? std::optional(hops) : std::nullopt;
        const auto end = ends[chip][hop.port];
        if (!end) return std::nullopt;
        chip = end->chip;
        input = end->port;
        dateline = hop.dateline;
    }
    return std::nullopt;
}

// Returns distances by breadth-first search over cables; an entry is empty if there is no path.
inline std::vector<std::vector<std::optional<unsigned>>> distances(const tlm::neuronlink::Topology& topology,
                                                                   const std::vector<bool>& usable) {
    const unsigned chips = topology.chips;
    std::vector<std::vector<std::optional<unsigned>>> all(chips, std::vector<std::optional<unsigned>>(chips));
    for (unsigned from = 0; from < chips; ++from) {
        all[from][from] = 0;
        for (unsigned step = 0; step < chips; ++step) {
            for (std::size_t i = 0; i < topology.cables.size(); ++i) {
                if (!usable[i]) continue;
                for (const auto& [a, b] : {std::pair(topology.cables[i].a.chip, topology.cables[i].b.chip),
                                           std::pair(topology.cables[i].b.chip, topology.cables[i].a.chip)}) {
                    if (all[from][a] == step && !all[from][b]) all[from][b] = step + 1;
                }
            }
        }
    }
    return all;
}

}  // namespace trnsim::test
