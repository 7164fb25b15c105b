#include "model/neuronlink/topology.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "arch/addresses/pooled.hpp"

namespace trnsim::tlm::neuronlink {
namespace {

constexpr char SideNames[] = {'N', 'S', 'E', 'W'};
static_assert(sizeof SideNames == Ports);

Topology grid(Topology::Dimension rows, Topology::Dimension columns) {
    Topology topology{Topology::Kind::Grid, rows, columns, rows.size * columns.size, {}};
    for (unsigned row = 0; row < rows.size; ++row) {
        for (unsigned column = 0; column < columns.size; ++column) {
            const unsigned chip = row * columns.size + column;
            const bool more_columns = column + 1 < columns.size || (columns.wraps && columns.size > 1);
            const bool more_rows = row + 1 < rows.size || (rows.wraps && rows.size > 1);
            if (more_columns) {
                const unsigned east = row * columns.size + (column + 1) % columns.size;
                topology.cables.push_back({{chip, East}, {east, West}});
            }
            if (more_rows) {
                const unsigned south = (row + 1) % rows.size * columns.size + column;
                topology.cables.push_back({{chip, South}, {south, North}});
            }
        }
    }
    check(topology);
    return topology;
}

}  // namespace

std::string name_of(End end) {
    return fmt::format("{}.{}", end.chip, end.port < Ports ? SideNames[end.port] : '?');
}

std::string name_of(const Cable& cable) {
    return name_of(cable.a) + "-" + name_of(cable.b);
}

std::vector<End> ends_named(const Topology& topology, std::string_view name) {
    std::vector<End> ends;
    for (const Cable& cable : topology.cables) {
        const bool both = name == "all" || name == name_of(cable);
        for (const End end : {cable.a, cable.b}) {
            if (both || name == name_of(end)) ends.push_back(end);
        }
    }
    return ends;
}

std::vector<std::array<std::optional<End>, Ports>> Topology::neighbours(
    const std::vector<bool>& usable) const {
    std::vector<std::array<std::optional<End>, Ports>> ends(chips);
    for (std::size_t i = 0; i < cables.size(); ++i) {
        if (!usable.empty() && !usable[i]) continue;
        ends[cables[i].a.chip][cables[i].a.port] = cables[i].b;
        ends[cables[i].b.chip][cables[i].b.port] = cables[i].a;
    }
    return ends;
}

Topology torus(unsigned rows, unsigned columns) {
    return grid({rows, true}, {columns, true});
}

Topology mesh(unsigned rows, unsigned columns) {
    return grid({rows, false}, {columns, false});
}

Topology ring(unsigned chips) {
    return torus(1, chips);
}

Topology chain(unsigned chips) {
    return mesh(1, chips);
}

Topology graph(unsigned chips, std::span<const std::pair<unsigned, unsigned>> pairs) {
    Topology topology{Topology::Kind::Graph, {}, {}, chips, {}};
    std::vector<unsigned> used(chips);
    for (const auto& [a, b] : pairs) {
        for (const unsigned chip : {a, b}) {
            if (chip >= chips) {
                throw std::invalid_argument(fmt::format(
                    "neuronlink cable from chip {} to chip {}, expected chips below {}", a, b, chips));
            }
            if (used[chip] == Ports || a == b) {
                throw std::invalid_argument(
                    fmt::format("neuronlink cable from chip {} to chip {}: {}", a, b,
                                a == b ? "expected two chips"
                                       : fmt::format("chip {} has {} cables already", chip, Ports)));
            }
        }
        topology.cables.push_back({{a, used[a]}, {b, used[b]}});
        ++used[a];
        ++used[b];
    }
    check(topology);
    return topology;
}

void check(const Topology& topology) {
    const std::size_t chips = topology.chips;
    if (chips == 0 || chips > addresses::PooledChips) {
        throw std::invalid_argument(
            fmt::format("neuronlink: {} chips, expected 1 to {}", chips, addresses::PooledChips));
    }
    std::vector<bool> taken(chips * Ports);
    for (const Cable& cable : topology.cables) {
        for (const End end : {cable.a, cable.b}) {
            if (end.chip >= chips || end.port >= Ports) {
                throw std::invalid_argument(
                    fmt::format("neuronlink cable {}: expected chips below {} and ports below {}",
                                name_of(cable), chips, Ports));
            }
            if (taken[end.chip * Ports + end.port]) {
                throw std::invalid_argument(
                    fmt::format("neuronlink cable {}: {} has a cable already", name_of(cable), name_of(end)));
            }
            taken[end.chip * Ports + end.port] = true;
        }
    }
}

}  // namespace trnsim::tlm::neuronlink
