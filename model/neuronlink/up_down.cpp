// up*/down*: the chips are numbered breadth first from the lowest; a cable leads up towards the lower number.
// A packet goes any number of hops up, then down, and never up again.
#include <algorithm>
#include <deque>

#include "model/neuronlink/routing.hpp"

namespace trnsim::tlm::neuronlink {
namespace {

using Neighbours = std::vector<std::array<std::optional<End>, Ports>>;

enum Phase : unsigned { MayRise, Descends };
constexpr unsigned Phases = 2;
constexpr unsigned Unreachable = ~0u;

std::vector<unsigned> breadth_first(const Neighbours& neighbours) {
    std::vector<unsigned> ranks(neighbours.size(), Unreachable);
    unsigned rank = 0;
    for (unsigned root = 0; root < neighbours.size(); ++root) {
        if (ranks[root] != Unreachable) continue;
        ranks[root] = rank++;
        for (std::deque<unsigned> queue{root}; !queue.empty(); queue.pop_front()) {
            for (const auto& end : neighbours[queue.front()]) {
                if (!end || ranks[end->chip] != Unreachable) continue;
                ranks[end->chip] = rank++;
                queue.push_back(end->chip);
            }
        }
    }
    return ranks;
}

// The hops to one destination from each chip in each phase.
class Distances {
  public:
    Distances(const Neighbours& neighbours, const std::vector<unsigned>& ranks, unsigned destination)
        : hops_(neighbours.size() * Phases, Unreachable) {
        struct State {
            unsigned chip, phase;
        };
        std::deque<State> queue;
        const auto reach = [&](unsigned chip, unsigned phase, unsigned hops) {
            if (of(chip, phase) != Unreachable) return;
            hops_[chip * Phases + phase] = hops;
            queue.push_back({chip, phase});
        };
        reach(destination, MayRise, 0);
        reach(destination, Descends, 0);
        for (; !queue.empty(); queue.pop_front()) {
            const State to = queue.front();
            const unsigned hops = of(to.chip, to.phase) + 1;
            for (const auto& end : neighbours[to.chip]) {
                if (!end) continue;
                const bool rises = ranks[to.chip] < ranks[end->chip];
                if (rises != (to.phase == MayRise)) continue;
                reach(end->chip, MayRise, hops);
                if (!rises) reach(end->chip, Descends, hops);
            }
        }
    }
    unsigned of(unsigned chip, unsigned phase) const { return hops_[chip * Phases + phase]; }

  private:
    std::vector<unsigned> hops_;
};

}  // namespace

std::vector<Table> up_down(const Topology& topology, const std::vector<bool>& usable) {
    const Neighbours neighbours = topology.neighbours(usable);
    const std::vector<unsigned> ranks = breadth_first(neighbours);
    std::vector<Table> tables(topology.chips, Table(topology.chips));

    // Returns the port of a shortest way; the destination decides between several, so that they share the
    // load.
    const auto best = [&](const Distances& distances, unsigned chip, unsigned phase, unsigned to) {
        unsigned chosen = Local, least = Unreachable;
        for (unsigned i = 0; i < Ports; ++i) {
            const unsigned port = (to + i) % Ports;
            const auto& end = neighbours[chip][port];
            if (!end) continue;
            const bool rises = ranks[end->chip] < ranks[chip];
            if (rises && phase == Descends) continue;
            const unsigned hops = distances.of(end->chip, rises ? MayRise : Descends);
            if (hops < least) {
                least = hops;
                chosen = port;
            }
        }
        return chosen;
    };

    for (unsigned to = 0; to < topology.chips; ++to) {
        const Distances distances(neighbours, ranks, to);
        for (unsigned chip = 0; chip < topology.chips; ++chip) {
            for (unsigned input = 0; input < Inputs; ++input) {
                // Packets that are still in the buffer of an unusable link may go anywhere: none come after
                // them.
                const bool from_link = input != Local && neighbours[chip][input].has_value();
                const unsigned phase =
                    from_link && ranks[neighbours[chip][input]->chip] < ranks[chip] ? Descends : MayRise;
                Hop hop{Hop::Way::Onward, Local, 0};
                if (distances.of(chip, phase) != Unreachable) {
                    if (chip != to) hop.port = static_cast<std::uint8_t>(best(distances, chip, phase, to));
                } else {
                    const bool reachable = distances.of(chip, MayRise) != Unreachable;
                    hop.way = reachable ? Hop::Way::Anew : Hop::Way::Nowhere;
                }
                for (unsigned dateline = 0; dateline < 2; ++dateline)
                    tables[chip].at(input, dateline, to) = hop;
            }
        }
    }
    return tables;
}

}  // namespace trnsim::tlm::neuronlink
