#include "compiler/collectives/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "compiler/collectives/error.hpp"
#include "compiler/collectives/torus.hpp"

namespace trnsim::collectives {
namespace {

// The links that leave a chip; down and up along a column, right and left along a row.
enum Direction : std::uint8_t { Down, Up, Right, Left, DirectionCount };

using Cycle = std::vector<std::uint32_t>;

// Steps from one place to another on a ring: ahead if that is not longer than back.
struct Way {
    bool ahead;
    std::uint32_t steps;
};
Way shorter_way(std::uint32_t from, std::uint32_t to, std::uint32_t size) {
    const std::uint32_t ahead = (to + size - from) % size;
    return ahead <= size - ahead ? Way{true, ahead} : Way{false, size - ahead};
}

}  // namespace

// The order is: four links of every chip, the links between the cores of every chip, the links of every
// server out and in.
Topology::Topology(const Cluster& cluster) : cluster_(cluster) {
    const std::uint32_t chips = cluster.servers * cluster.chips();
    for (std::uint32_t chip = 0; chip < chips; ++chip) {
        const std::uint32_t base = chip / cluster.chips() * cluster.chips();
        const std::uint32_t r = (chip - base) / cluster.columns, c = (chip - base) % cluster.columns;
        const auto at = [&](std::uint32_t row, std::uint32_t column) {
            return base + row % cluster_.rows * cluster_.columns + column % cluster_.columns;
        };
        for (const std::uint32_t to :
             {at(r + 1, c), at(r + cluster.rows - 1, c), at(r, c + 1), at(r, c + cluster.columns - 1)})
            links_.push_back({LinkKind::Chip, chip, to});
    }
    for (std::uint32_t rank = 0; rank < cluster.ranks(); ++rank) {
        for (std::uint32_t core = 0; core < cluster.cores; ++core)
            links_.push_back({LinkKind::Core, rank, rank / cluster.cores * cluster.cores + core});
    }
    for (std::uint32_t server = 0; server < cluster.servers; ++server) {
        links_.push_back({LinkKind::Network, server, cluster.servers});
        links_.push_back({LinkKind::Network, cluster.servers, server});
    }
}

std::size_t Topology::chip_link(std::uint32_t chip, std::size_t direction) const {
    return chip * std::size_t{DirectionCount} + direction;
}

void Topology::walk(std::vector<std::size_t>& path, std::uint32_t server, std::uint32_t from,
                    std::uint32_t to) const {
    const std::uint32_t rows = cluster_.rows, columns = cluster_.columns;
    std::uint32_t r = from / columns, c = from % columns;
    const auto take = [&](Direction direction) {
        path.push_back(chip_link(server * cluster_.chips() + r * columns + c, direction));
    };
    const Way vertical = shorter_way(r, to / columns, rows);
    for (std::uint32_t i = 0; i < vertical.steps; ++i) {
        take(vertical.ahead ? Down : Up);
        r = (r + (vertical.ahead ? 1 : rows - 1)) % rows;
    }
    const Way horizontal = shorter_way(c, to % columns, columns);
    for (std::uint32_t i = 0; i < horizontal.steps; ++i) {
        take(horizontal.ahead ? Right : Left);
        c = (c + (horizontal.ahead ? 1 : columns - 1)) % columns;
    }
}

std::vector<std::size_t> Topology::path(Rank from, Rank to) const {
    for (const Rank rank : {from, to}) {
        if (rank >= cluster_.ranks())
            throw Error(fmt::format("topology: rank {}, expected one below {}", rank, cluster_.ranks()));
    }
    std::vector<std::size_t> path;
    if (from == to) return path;
    const std::uint32_t cores = cluster_.cores, chips = cluster_.chips();
    const std::uint32_t from_chip = from / cores, to_chip = to / cores;
    const std::size_t core_links = std::size_t{cluster_.servers} * chips * DirectionCount;
    if (from_chip == to_chip) {
        path.push_back(core_links + std::size_t{from} * cores + to % cores);
    } else if (from_chip / chips == to_chip / chips) {
        walk(path, from_chip / chips, from_chip % chips, to_chip % chips);
    } else {
        const std::size_t network_links = core_links + std::size_t{cluster_.ranks()} * cores;
        path.push_back(network_links + std::size_t{2} * (from_chip / chips));
        path.push_back(network_links + std::size_t{2} * (to_chip / chips) + 1);
    }
    return path;
}

std::vector<Cycle> Topology::cycles(std::uint32_t count) const {
    const std::uint32_t chips = count / cluster_.cores, columns = cluster_.columns;
    std::vector<Cycle> rings;
    Cycle order(count);
    std::iota(order.begin(), order.end(), 0u);
    if (chips * cluster_.cores != count) return {order};
    if (chips == cluster_.chips() && cluster_.rows >= 3 && columns >= 3) {
        const auto both = torus_cycles(cluster_.rows, columns);
        rings.assign(both.begin(), both.end());
    } else if (chips <= columns || chips == 2 * columns) {
        Cycle ring(chips);
        std::iota(ring.begin(), ring.end(), 0u);
        if (chips > columns) std::reverse(ring.begin() + columns, ring.end());
        rings.push_back(ring);
    } else {
        return {order};
    }
    std::vector<Cycle> cycles;
    for (const Cycle& ring : rings) {
        Cycle forward;
        for (const std::uint32_t chip : ring) {
            for (std::uint32_t core = 0; core < cluster_.cores; ++core)
                forward.push_back(chip * cluster_.cores + core);
        }
        cycles.push_back(forward);
        cycles.emplace_back(forward.rbegin(), forward.rend());
    }
    return cycles;
}

std::vector<Cycle> Topology::hypercubes(std::uint32_t count) const {
    const std::uint32_t chips = count / cluster_.cores, columns = std::min(cluster_.columns, chips);
    const auto gray = [](std::uint32_t i) { return i ^ i >> 1; };
    Cycle as_they_are(count);
    std::iota(as_they_are.begin(), as_they_are.end(), 0u);
    if (!std::has_single_bit(count) || !std::has_single_bit(cluster_.cores) || !std::has_single_bit(columns))
        return {as_they_are};
    const auto bits = static_cast<unsigned>(std::countr_zero(chips));
    std::vector<Cycle> orders(std::max(bits, 1u), Cycle(count));
    for (std::uint32_t rank = 0; rank < chips * cluster_.cores; ++rank) {
        const std::uint32_t chip = rank / cluster_.cores, core = rank % cluster_.cores;
        // The bits of a chip's place are the Gray codes of its row and its column.
        const std::uint32_t place = gray(chip / columns) * columns + gray(chip % columns);
        for (std::uint32_t turn = 0; turn < orders.size(); ++turn) {
            const std::uint32_t turned = (place << turn | place >> (bits - turn)) & (chips - 1);
            orders[turn][core * chips + turned] = rank;
        }
    }
    return orders;
}

}  // namespace trnsim::collectives
