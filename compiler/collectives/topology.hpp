// The places of ranks and the links between them: servers whose chips are a torus, joined by a network.
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

// One direction of a link between neighbouring chips, of the connection between two cores of a chip, or of a
// server's connection with the network.
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
    // Returns the links from a rank to another, by their index. Within a server the path goes along the
    // column, then along the row, the shorter way round; down and right if both ways are equally long. Throws
    // Error for a rank that does not exist.
    std::vector<std::size_t> path(Rank from, Rank to) const;

    // Returns rings of the first `count` ranks of a server, each in both directions: edge-disjoint ones for a
    // whole torus of at least 3 x 3 chips, the way round for one or two rows of chips, else one ring in
    // order.
    std::vector<std::vector<std::uint32_t>> cycles(std::uint32_t count) const;
    // Returns orders of the first `count` ranks of a server in which ranks whose places differ in one bit are
    // neighbours, so partners of halving and doubling are, if there are 2^k ranks in whole rows or in one row;
    // else one order, as they are. The highest bit is the core of the chip. There is an order for each bit of
    // the chip's place, and each has another one next to the core's: at any time the orders use different
    // links, together all those between these chips.
    std::vector<std::vector<std::uint32_t>> hypercubes(std::uint32_t count) const;

  private:
    std::size_t chip_link(std::uint32_t chip, std::size_t direction) const;
    void walk(std::vector<std::size_t>& path, std::uint32_t server, std::uint32_t from,
              std::uint32_t to) const;

    Cluster cluster_;
    std::vector<Link> links_;
};

}  // namespace trnsim::collectives
