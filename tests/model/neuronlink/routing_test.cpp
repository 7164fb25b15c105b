// Tests topologies and routing tables: every packet arrives, by the shortest path where that is promised, and
// no packets can wait for each other in a circle.
#include "model/neuronlink/routing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "common/random.hpp"
#include "model/neuronlink/dependency_graph.hpp"

namespace trnsim::tlm::neuronlink {
namespace {

using test::DependencyGraph;

// The neighbours of each chip of trn1.32xlarge as the driver lists them: north, west, south, east.
constexpr unsigned Published[16][4] = {{12, 3, 4, 1},  {13, 0, 5, 2},  {14, 1, 6, 3},   {15, 2, 7, 0},
                                       {0, 7, 8, 5},   {1, 4, 9, 6},   {2, 5, 10, 7},   {3, 6, 11, 4},
                                       {4, 11, 12, 9}, {5, 8, 13, 10}, {6, 9, 14, 11},  {7, 10, 15, 8},
                                       {8, 15, 0, 13}, {9, 12, 1, 14}, {10, 13, 2, 15}, {11, 14, 3, 12}};

std::vector<bool> all_of(const Topology& topology) {
    return std::vector<bool>(topology.cables.size(), true);
}

// Makes random cables between chips with free ports; the graph may be connected or not.
Topology random_graph(std::mt19937_64& random) {
    const auto chips = static_cast<unsigned>(2 + random() % 20);
    std::vector<unsigned> used(chips);
    std::vector<std::pair<unsigned, unsigned>> pairs;
    const std::uint64_t tries = random() % (4 * chips);
    for (std::uint64_t i = 0; i < tries; ++i) {
        const auto a = static_cast<unsigned>(random() % chips), b = static_cast<unsigned>(random() % chips);
        if (a == b || used[a] == Ports || used[b] == Ports) continue;
        pairs.emplace_back(a, b);
        ++used[a];
        ++used[b];
    }
    return graph(chips, pairs);
}

std::vector<Topology> grids() {
    std::vector<Topology> all;
    for (unsigned rows = 1; rows <= 7; ++rows) {
        for (unsigned columns = 1; columns <= 7; ++columns) {
            all.push_back(torus(rows, columns));
            all.push_back(mesh(rows, columns));
        }
    }
    for (const unsigned chips : {8u, 12u, 13u}) {  // a ring of 12 is the largest Inf2 instance
        all.push_back(ring(chips));
        all.push_back(chain(chips));
    }
    return all;
}

TEST(LinkTopology, PublishedNeighbours) {
    const auto ends = trn1_server().neighbours();
    ASSERT_EQ(ends.size(), 16u);
    for (unsigned chip = 0; chip < 16; ++chip) {
        constexpr Side Order[] = {North, West, South, East};
        for (unsigned i = 0; i < 4; ++i) {
            ASSERT_TRUE(ends[chip][Order[i]].has_value());
            EXPECT_EQ(ends[chip][Order[i]]->chip, Published[chip][i]) << chip << " side " << i;
        }
    }
}

TEST(LinkTopology, NumbersOfCables) {
    EXPECT_EQ(torus(4, 4).cables.size(), 32u);
    EXPECT_EQ(mesh(4, 4).cables.size(), 24u);
    EXPECT_EQ(ring(12).cables.size(), 12u);
    EXPECT_EQ(chain(6).cables.size(), 5u);
    EXPECT_EQ(ring(2).cables.size(), 2u);
    EXPECT_EQ(ring(1).cables.size(), 0u);
    EXPECT_EQ(name_of(torus(4, 4).cables[0]), "0.E-1.W");
}

TEST(LinkTopology, Refusals) {
    const auto message = [](unsigned chips, std::vector<std::pair<unsigned, unsigned>> pairs) -> std::string {
        try {
            graph(chips, pairs);
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "accepted";
    };
    EXPECT_EQ(message(2, {{0, 1}, {1, 0}, {0, 1}, {0, 1}}), "accepted");
    EXPECT_EQ(message(2, {{0, 2}}), "neuronlink cable from chip 0 to chip 2, expected chips below 2");
    EXPECT_EQ(message(2, {{1, 1}}), "neuronlink cable from chip 1 to chip 1: expected two chips");
    EXPECT_EQ(message(3, {{0, 1}, {0, 1}, {0, 1}, {0, 1}, {2, 0}}),
              "neuronlink cable from chip 2 to chip 0: chip 0 has 4 cables already");
    EXPECT_EQ(message(0, {}), "neuronlink: 0 chips, expected 1 to 255");
    EXPECT_THROW(torus(16, 16), std::invalid_argument);
    Topology twice = chain(3);
    twice.cables[1].a = twice.cables[0].a;
    EXPECT_THROW(check(twice), std::invalid_argument);
}

TEST(LinkRouting, GridsTakeShortestWays) {
    for (const Topology& topology : grids()) {
        const auto tables = dimension_order(topology);
        const auto shortest = test::distances(topology, all_of(topology));
        for (unsigned from = 0; from < topology.chips; ++from) {
            for (unsigned to = 0; to < topology.chips; ++to)
                ASSERT_EQ(test::hops_between(topology, tables, from, to, 100), shortest[from][to]);
        }
    }
}

TEST(LinkRouting, GridsHaveNoCycles) {
    for (const Topology& topology : grids()) {
        const DependencyGraph graph(topology, dimension_order(topology));
        EXPECT_FALSE(graph.has_cycle()) << topology.rows.size << " x " << topology.columns.size;
    }
}

// The counter-test: with one channel for each direction a ring of three or more has a cycle.
TEST(LinkRouting, RingsWithoutDatelinesHaveCycles) {
    for (const Topology& topology : grids()) {
        const bool long_ring = (topology.rows.wraps && topology.rows.size >= 3) ||
                               (topology.columns.wraps && topology.columns.size >= 3);
        const DependencyGraph graph(topology, dimension_order(topology), false);
        EXPECT_EQ(graph.has_cycle(), long_ring) << topology.rows.size << " x " << topology.columns.size;
    }
}

void expect_sound(const Topology& topology, const std::vector<bool>& usable) {
    const auto tables = up_down(topology, usable);
    const auto shortest = test::distances(topology, usable);
    EXPECT_FALSE(DependencyGraph(topology, tables).has_cycle());
    for (unsigned from = 0; from < topology.chips; ++from) {
        for (unsigned to = 0; to < topology.chips; ++to) {
            const auto hops = test::hops_between(topology, tables, from, to, topology.chips);
            ASSERT_EQ(hops.has_value(), shortest[from][to].has_value()) << from << " to " << to;
            ASSERT_EQ(tables[from].reaches(to), hops.has_value());
            if (hops) {
                ASSERT_GE(*hops, *shortest[from][to]);
            }
        }
    }
}

TEST(LinkRouting, RandomGraphs) {
    auto random = test::generator();
    for (std::uint64_t i = 0; i < 200 * test::scale(); ++i) {
        const Topology topology = random_graph(random);
        expect_sound(topology, all_of(topology));
    }
}

TEST(LinkRouting, TreesAndMeshesOfTwoTakeShortestWays) {
    for (const Topology& topology :
         {chain(9), mesh(2, 2),
          graph(5, std::vector<std::pair<unsigned, unsigned>>{{0, 1}, {0, 2}, {0, 3}, {0, 4}})}) {
        const auto tables = up_down(topology, all_of(topology));
        const auto shortest = test::distances(topology, all_of(topology));
        for (unsigned from = 0; from < topology.chips; ++from) {
            for (unsigned to = 0; to < topology.chips; ++to)
                EXPECT_EQ(test::hops_between(topology, tables, from, to, 100), shortest[from][to]);
        }
    }
}

TEST(LinkRouting, AnyCableOfAServerMayFail) {
    const Topology server = trn1_server();
    for (std::size_t i = 0; i < server.cables.size(); ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            std::vector<bool> usable = all_of(server);
            usable[i] = usable[j] = false;
            expect_sound(server, usable);
        }
    }
}

TEST(LinkRouting, ManyCablesMayFail) {
    auto random = test::generator();
    for (std::uint64_t i = 0; i < 200 * test::scale(); ++i) {
        const Topology topology = i % 2 == 0 ? trn1_server() : torus(3, 5);
        std::vector<bool> usable = all_of(topology);
        const std::uint64_t whole = random() % 8;
        for (std::size_t cable = 0; cable < usable.size(); ++cable) usable[cable] = random() % 8 < whole;
        expect_sound(topology, usable);
    }
}

// Two paths of the same length are both used: all cables of a server carry the same load.
TEST(LinkRouting, AServersCablesShareTheLoad) {
    const Topology server = trn1_server();
    const auto tables = dimension_order(server);
    const auto ends = server.neighbours();
    std::array<std::array<unsigned, Ports>, 16> load{};
    for (unsigned from = 0; from < 16; ++from) {
        for (unsigned to = 0; to < 16; ++to) {
            unsigned chip = from, input = Local, dateline = 0;
            while (true) {
                const Hop hop = tables[chip].at(input, dateline, to);
                if (hop.port == Local) break;
                ++load[chip][hop.port];
                const End end = *ends[chip][hop.port];
                chip = end.chip;
                input = end.port;
                dateline = hop.dateline;
            }
        }
    }
    for (const auto& chip : load) {
        for (const unsigned packets : chip) EXPECT_EQ(packets, 8u);
    }
}

TEST(LinkRouting, TablesFollowTheCables) {
    const Topology server = trn1_server();
    std::vector<bool> usable = all_of(server);
    const auto same = [](const std::vector<Table>& a, const std::vector<Table>& b) {
        for (unsigned chip = 0; chip < a.size(); ++chip) {
            for (unsigned to = 0; to < a.size(); ++to) {
                if (a[chip].at(Local, 0, to) != b[chip].at(Local, 0, to)) return false;
            }
        }
        return true;
    };
    EXPECT_TRUE(same(make_tables(server, usable), dimension_order(server)));
    usable[5] = false;
    EXPECT_TRUE(same(make_tables(server, usable), up_down(server, usable)));
    EXPECT_FALSE(same(make_tables(server, usable), dimension_order(server)));
}

}  // namespace
}  // namespace trnsim::tlm::neuronlink
