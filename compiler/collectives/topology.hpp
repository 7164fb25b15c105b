// Where ranks are and which links lie between them: servers whose chips are a torus, joined by a network.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/collectives/schedule.hpp"

namespace trnsim::collectives {

// Ranks count through the cores of a chip, the chips of a server, the servers.
struct Cluster {
    std::uint32_t servers = 1, rows = 4, columns = 4, cores = 2;  // rows x columns chips a server
    std::uint32_t chips() const { return rows * columns; }
    std::uint32_t ranks() const { return servers * chips() * cores; }
};

// One direction of: a link between neighbouring chips, what joins two cores of a chip, the way of a server to
// or from the network.
enum class LinkKind : std::uint8_t { Chip, Core, Network };
constexpr std::size_t LinkKindCount = 3;

struct Link {
    LinkKind kind = LinkKind::Chip;
    std::uint32_t from = 0, to = 0;  // chips, ranks or (server, other server's side of the network) by kind
};

class Topology {
  public:
    explicit Topology(const Cluster& cluster);

    const Cluster& cluster() const { return cluster_; }
    const std::vector<Link>& links() const { return links_; }
    // The links from a rank to another, by their index. Within a server along the column, then along the row,
    // the shorter way round, down and right where both are as long. Throws Error for a rank there is not.
    std::vector<std::size_t> path(Rank from, Rank to) const;

    // Rings of the first `count` ranks of a server, each in both directions: edge-disjoint ones of a whole
    // torus of at least 3 x 3 chips, of one or two rows of chips the way round; else one ring in order.
    std::vector<std::vector<std::uint32_t>> cycles(std::uint32_t count) const;
    // The first `count` ranks of a server in an order in which those whose places differ in one bit are
    // neighbours, if there are 2^k in whole rows or in one: partners of halving and doubling, as members of an
    // all-reduce. The highest bit is the core of the chip.
    std::vector<Rank> hypercube(std::uint32_t count) const;

  private:
    std::size_t chip_link(std::uint32_t chip, std::size_t direction) const;
    void walk(std::vector<std::size_t>& path, std::uint32_t server, std::uint32_t from,
              std::uint32_t to) const;

    Cluster cluster_;
    std::vector<Link> links_;
};

}  // namespace trnsim::collectives
