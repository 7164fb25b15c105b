#include <algorithm>
#include <array>

#include "model/neuronlink/routing.hpp"

namespace trnsim::tlm::neuronlink {
namespace {

// One of the two dimensions of a grid, as a packet crosses them.
struct Axis {
    Topology::Dimension dimension;
    unsigned positive;            // the port towards higher places
    unsigned place, destination;  // positions of the chip and of the destination
};

bool goes_up(const Axis& axis) {
    if (!axis.dimension.wraps) return axis.destination > axis.place;
    const unsigned size = axis.dimension.size;
    const unsigned distance = (axis.destination + size - axis.place) % size;
    return 2 * distance == size ? axis.place % 2 == 0 : 2 * distance < size;
}

Hop cross(const Axis& axis, bool first, unsigned input, unsigned dateline) {
    const bool up = goes_up(axis);
    const unsigned port = up ? axis.positive : axis.positive ^ 1;
    const bool same_way = input == (port ^ 1);
    // A packet may begin to cross the second dimension from anywhere in the first, but not the other way
    // round.
    const bool begins = input == Local || (!first && input / 2 != axis.positive / 2);
    const bool closes_ring = axis.place == (up ? axis.dimension.size - 1 : 0);
    const bool behind = same_way && dateline != 0;
    if ((!same_way && !begins) || (behind && closes_ring)) return {Hop::Way::Anew};
    return {Hop::Way::Onward, static_cast<std::uint8_t>(port),
            static_cast<std::uint8_t>(behind || closes_ring ? 1 : 0)};
}

Hop hop_of(const Topology& topology, unsigned chip, unsigned input, unsigned dateline, unsigned destination) {
    if (chip == destination) return {Hop::Way::Onward, Local, 0};
    const unsigned columns = topology.columns.size;
    const std::array axes{Axis{topology.columns, East, chip % columns, destination % columns},
                          Axis{topology.rows, South, chip / columns, destination / columns}};
    const bool first = axes[0].place != axes[0].destination;
    return cross(axes[first ? 0 : 1], first, input, dateline);
}

}  // namespace

std::vector<Table> dimension_order(const Topology& topology) {
    std::vector<Table> tables(topology.chips, Table(topology.chips));
    for (unsigned chip = 0; chip < topology.chips; ++chip) {
        for (unsigned input = 0; input < Inputs; ++input) {
            for (unsigned dateline = 0; dateline < 2; ++dateline) {
                for (unsigned to = 0; to < topology.chips; ++to)
                    tables[chip].at(input, dateline, to) = hop_of(topology, chip, input, dateline, to);
            }
        }
    }
    return tables;
}

std::vector<Table> make_tables(const Topology& topology, const std::vector<bool>& usable) {
    const bool whole = std::find(usable.begin(), usable.end(), false) == usable.end();
    return topology.kind == Topology::Kind::Grid && whole ? dimension_order(topology)
                                                          : up_down(topology, usable);
}

}  // namespace trnsim::tlm::neuronlink
