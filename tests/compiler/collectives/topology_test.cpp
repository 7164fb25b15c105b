// Tests rings on the torus, and compares bytes on links with those that the algorithms are known to move.
#include "compiler/collectives/topology.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "compiler/collectives/choice.hpp"
#include "compiler/collectives/error.hpp"
#include "compiler/collectives/estimate.hpp"
#include "compiler/collectives/generate.hpp"
#include "compiler/collectives/torus.hpp"

namespace trnsim::collectives::test {
namespace {

using Cycle = std::vector<std::uint32_t>;
using Edge = std::pair<std::uint32_t, std::uint32_t>;

std::set<Edge> edges_of(const Cycle& cycle) {
    std::set<Edge> edges;
    for (std::size_t i = 0; i < cycle.size(); ++i)
        edges.insert(std::minmax(cycle[i], cycle[(i + 1) % cycle.size()]));
    return edges;
}

void expect_hamiltonian(const Cycle& cycle, std::size_t chips) {
    EXPECT_EQ(std::set<std::uint32_t>(cycle.begin(), cycle.end()).size(), chips);
    EXPECT_EQ(cycle.size(), chips);
    EXPECT_EQ(edges_of(cycle).size(), chips);
}

TEST(Torus, TwoHamiltonianCyclesWithoutACommonLink) {
    for (std::uint32_t rows = 3; rows <= 10; ++rows) {
        for (std::uint32_t columns = 3; columns <= 10; ++columns) {
            SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns));
            std::set<Edge> torus, used;
            for (std::uint32_t r = 0; r < rows; ++r) {
                for (std::uint32_t c = 0; c < columns; ++c) {
                    torus.insert(std::minmax(r * columns + c, r * columns + (c + 1) % columns));
                    torus.insert(std::minmax(r * columns + c, (r + 1) % rows * columns + c));
                }
            }
            for (const Cycle& cycle : torus_cycles(rows, columns)) {
                expect_hamiltonian(cycle, std::size_t{rows} * columns);
                for (const Edge& edge : edges_of(cycle)) EXPECT_TRUE(used.insert(edge).second);
            }
            EXPECT_EQ(used, torus);
        }
    }
}

TEST(Torus, RefusesSeveralLinksBetweenNeighbours) {
    try {
        torus_cycles(2, 5);
        FAIL();
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "torus: 2 x 5 chips, expected 3 x 3 to 64 x 64");
    }
}

// The neighbours of trn1.32xlarge as the public driver lists them.
TEST(Torus, RingsOfAServerFollowItsLinks) {
    const std::vector<std::set<std::uint32_t>> neighbours{
        {12, 3, 4, 1},  {13, 0, 5, 2},  {14, 1, 6, 3},   {15, 2, 7, 0},  {0, 7, 8, 5},   {1, 4, 9, 6},
        {2, 5, 10, 7},  {3, 6, 11, 4},  {4, 11, 12, 9},  {5, 8, 13, 10}, {6, 9, 14, 11}, {7, 10, 15, 8},
        {8, 15, 0, 13}, {9, 12, 1, 14}, {10, 13, 2, 15}, {11, 14, 3, 12}};
    for (const Cycle& cycle : torus_cycles(4, 4)) {
        for (std::size_t i = 0; i < 16; ++i) EXPECT_TRUE(neighbours[cycle[i]].contains(cycle[(i + 1) % 16]));
    }
    const Topology server{Cluster{}};
    for (std::uint32_t chip = 0; chip < 16; ++chip) {
        for (std::uint32_t other = 0; other < 16; ++other)
            EXPECT_EQ(server.path(2 * chip, 2 * other + 1).size() == 1,
                      chip == other || neighbours[chip].contains(other));
    }
}

TEST(Topology, PathsAreShortestAndConnected) {
    const Topology cluster{Cluster{2, 3, 5, 2}};
    for (Rank from = 0; from < 60; ++from) {
        for (Rank to = 0; to < 60; ++to) {
            const auto path = cluster.path(from, to);
            const std::uint32_t a = from / 2, b = to / 2;
            if (a / 15 != b / 15) {
                ASSERT_EQ(path.size(), 2u);
                EXPECT_EQ(cluster.links()[path[0]].from, a / 15);
                EXPECT_EQ(cluster.links()[path[1]].to, b / 15);
                continue;
            }
            if (a == b) {
                EXPECT_EQ(path.size(), from == to ? 0u : 1u);
                continue;
            }
            const auto distance = [](std::uint32_t x, std::uint32_t y, std::uint32_t size) {
                const std::uint32_t d = x < y ? y - x : x - y;
                return std::min(d, size - d);
            };
            EXPECT_EQ(path.size(), distance(a % 15 / 5, b % 15 / 5, 3) + distance(a % 5, b % 5, 5));
            std::uint32_t at = a;
            for (const std::size_t link : path) {
                EXPECT_EQ(cluster.links()[link].from, at);
                at = cluster.links()[link].to;
            }
            EXPECT_EQ(at, b);
        }
    }
    EXPECT_THROW(cluster.path(0, 60), Error);
}

TEST(Topology, RingsOfPartsOfAServer) {
    const Topology server{Cluster{}};
    EXPECT_EQ(server.cycles(32).size(), 4u);
    EXPECT_EQ(server.cycles(16).size(), 2u);  // two rows, in both directions
    EXPECT_EQ(server.cycles(8).size(), 2u);   // a row
    EXPECT_EQ(server.cycles(7).size(), 1u);   // half a chip
    for (const std::uint32_t ranks : {2u, 4u, 8u, 16u, 32u}) {
        for (const Cycle& cycle : server.cycles(ranks)) {
            if (ranks > 2) expect_hamiltonian(cycle, ranks);
            for (std::size_t i = 0; i < ranks && ranks > 4; ++i)
                EXPECT_EQ(server.path(cycle[i], cycle[(i + 1) % ranks]).size(), 1u);
        }
    }
}

TEST(Topology, PlacesOfAHypercubeAreNeighbours) {
    const Topology server{Cluster{}};
    for (const std::uint32_t ranks : {2u, 4u, 8u, 16u, 32u}) {
        const auto orders = server.hypercubes(ranks);
        EXPECT_EQ(orders.size(), std::max(1, std::countr_zero(ranks) - 1));
        for (const auto& order : orders) {
            EXPECT_EQ(std::set<Rank>(order.begin(), order.end()).size(), ranks);
            for (std::uint32_t place = 0; place < ranks; ++place) {
                for (std::uint32_t bit = 1; bit < ranks; bit *= 2)
                    EXPECT_EQ(server.path(order[place], order[place ^ bit]).size(), 1u)
                        << ranks << ": " << place;
                EXPECT_EQ(order[place] % 2, place / ((ranks + 1) / 2));
            }
        }
    }
    EXPECT_EQ(server.hypercubes(6), (std::vector<std::vector<Rank>>{{0, 1, 2, 3, 4, 5}}));
}

// Partners of a place that differ in the same bit are reached over another link in each order.
TEST(Topology, OrdersOfAHypercubeUseDifferentLinks) {
    const Topology server{Cluster{}};
    for (const std::uint32_t ranks : {8u, 16u, 32u}) {
        const auto orders = server.hypercubes(ranks);
        for (Rank rank = 0; rank < ranks; ++rank) {
            for (std::uint32_t bit = 1; bit < ranks / 2; bit *= 2) {
                std::set<std::size_t> links;
                for (const auto& order : orders) {
                    const auto place =
                        static_cast<std::uint32_t>(std::ranges::find(order, rank) - order.begin());
                    links.insert(server.path(rank, order[place ^ bit])[0]);
                }
                EXPECT_EQ(links.size(), orders.size()) << ranks << " ranks, rank " << rank << ", bit " << bit;
            }
        }
    }
}

std::map<LinkKind, std::set<std::uint64_t>> loads(const Schedule& schedule, const Topology& topology) {
    std::map<LinkKind, std::set<std::uint64_t>> by_kind;
    const Traffic moved = traffic(schedule, topology);
    for (std::size_t i = 0; i < moved.links.size(); ++i)
        by_kind[topology.links()[i].kind].insert(moved.links[i]);
    return by_kind;
}

// Returns the bytes that each rank gets from others.
std::vector<std::uint64_t> received(const Schedule& schedule) {
    std::vector<std::uint64_t> bytes(schedule.lists.size());
    for (const Step& step : schedule.steps) {
        const auto size = [&](const ElementRun& operand) {
            return step.transfer.elements * (operand.dtype == isa::Dtype::U8 ? 1 : 4);
        };
        for (const ElementRun& source : step.transfer.sources) {
            if (source.place.rank != step.rank) bytes[step.rank] += size(source);
        }
        for (const ElementRun& destination : step.transfer.destinations) {
            if (destination.place.rank != step.rank) bytes[destination.place.rank] += size(destination);
        }
    }
    return bytes;
}

Request request_of(Operation operation, std::uint32_t ranks, std::uint64_t count) {
    Request request;
    request.operation = operation;
    request.ranks = ranks;
    request.count = count;
    return request;
}

// Each rank gets the bytes of the larger buffer times the bus factor.
TEST(Volume, OfEveryAlgorithmIsTheTextbooks) {
    constexpr std::uint64_t Elements = 64 * 30;
    for (const std::uint32_t n : {2u, 4u, 8u, 16u, 32u, 64u}) {
        for (const Operation operation :
             {Operation::AllReduce, Operation::ReduceScatter, Operation::AllGather}) {
            for (const Algorithm algorithm : {Algorithm::Ring, Algorithm::Mesh, Algorithm::HalvingDoubling}) {
                const std::uint64_t count = operation == Operation::AllReduce ? Elements : Elements / n;
                const Schedule schedule = make_schedule(request_of(operation, n, count), {algorithm});
                const auto expected = static_cast<std::uint64_t>(bus_factor(operation, n) * 4 * Elements);
                for (const std::uint64_t bytes : received(schedule))
                    EXPECT_EQ(bytes, expected) << name(operation) << " " << name(algorithm) << " " << n;
            }
        }
        for (const std::uint64_t bytes :
             received(make_schedule(request_of(Operation::AllToAll, n, Elements / n), {Algorithm::Direct})))
            EXPECT_EQ(bytes, 4 * Elements / n * (n - 1));
        for (const std::uint64_t bytes : received(
                 make_schedule(request_of(Operation::AllReduce, n, Elements), {Algorithm::SingleStepMesh})))
            EXPECT_EQ(bytes, 4 * Elements * (n - 1));
    }
}

// The vector of a folded member is sent once more in each direction.
TEST(Volume, OfMembersThatAreFoldedIn) {
    const auto bytes =
        received(make_schedule(request_of(Operation::AllReduce, 6, 400), {Algorithm::HalvingDoubling}));
    const std::uint64_t whole = 1600, shared = 2 * 1600 * 3 / 4;
    EXPECT_EQ(bytes,
              (std::vector<std::uint64_t>{shared + whole, whole, shared + whole, whole, shared, shared}));
}

// Every link of the torus carries a quarter of what the chip sends: 15/16 of the vector in each half of the
// all-reduce. The cores of a chip exchange the rest.
TEST(Volume, OfHalvingDoublingOnATorus) {
    constexpr std::uint64_t Elements = 32 * 4 * 5;
    const Topology server{Cluster{}};
    const Schedule schedule = make_schedule(request_of(Operation::AllReduce, 32, Elements),
                                            {Algorithm::HalvingDoubling, server.hypercubes(32)});
    EXPECT_EQ(loads(schedule, server)[LinkKind::Chip],
              std::set<std::uint64_t>{2 * 4 * Elements * 15 / 16 / 4});
    const Topology row{Cluster{1, 1, 4, 2}};
    EXPECT_EQ(loads(make_schedule(request_of(Operation::AllReduce, 8, Elements),
                                  {Algorithm::HalvingDoubling, row.hypercubes(8)}),
                    row)[LinkKind::Chip],
              (std::set<std::uint64_t>{0, 2 * 4 * Elements * 3 / 4 / 2}));
}

TEST(Volume, OfRingsOnATorus) {
    constexpr std::uint64_t Elements = 32 * 4 * 5;
    const Topology server{Cluster{}};
    for (const Algorithm algorithm : {Algorithm::Ring, Algorithm::Kangaring}) {
        const Schedule schedule =
            make_schedule(request_of(Operation::AllReduce, 32, Elements), {algorithm, server.cycles(32)});
        // Every link carries a quarter of 2 (n - 1) / n. In a kangaring, the chunks of a pair do not pass the
        // link after the pair; in a ring, each rank leaves out one chunk of its own.
        const std::uint64_t chunks = algorithm == Algorithm::Ring ? 31 : 30;
        EXPECT_EQ(loads(schedule, server)[LinkKind::Chip],
                  std::set<std::uint64_t>{2 * chunks * 4 * Elements / 32 / 4});
    }
    const Topology row{Cluster{1, 1, 8, 1}};
    const Schedule schedule = make_schedule(request_of(Operation::AllReduce, 8, 8 * 9), {Algorithm::Ring});
    EXPECT_EQ(loads(schedule, row)[LinkKind::Chip], (std::set<std::uint64_t>{0, 2 * 7 * 4 * 9}));
}

// A kangaring has one read for two writes, and three reads for one write: for large n 33 and 25 percent fewer
// accesses to memory.
TEST(Volume, OfAKangaringInMemory) {
    constexpr std::uint64_t Chunk = 10;
    for (const std::uint64_t n : {4u, 32u, 64u}) {
        const Topology servers{Cluster{2, 4, 4, 2}};
        const auto accesses = [&](Operation operation, Algorithm algorithm) {
            const Schedule schedule =
                make_schedule(request_of(operation, static_cast<std::uint32_t>(n), Chunk), {algorithm});
            std::uint64_t bytes = 0;
            for (const std::uint64_t rank : traffic(schedule, servers).memory) bytes += rank;
            return bytes / (4 * Chunk * n);  // accesses for each chunk
        };
        EXPECT_EQ(accesses(Operation::ReduceScatter, Algorithm::Ring), 3 * n - 1);
        EXPECT_EQ(accesses(Operation::ReduceScatter, Algorithm::Kangaring), 2 * n - 1);
        EXPECT_EQ(accesses(Operation::AllGather, Algorithm::Ring), 2 * n);
        EXPECT_EQ(accesses(Operation::AllGather, Algorithm::Kangaring), 3 * n / 2 + 1);
    }
}

TEST(Volume, OfAHierarchyBetweenServers) {
    const Topology servers{Cluster{4, 2, 2, 2}};
    constexpr std::uint64_t Elements = 8 * 4 * 3;
    const Schedule schedule =
        make_schedule(request_of(Operation::AllReduce, 32, Elements), {Algorithm::Hierarchical, {}, 8});
    EXPECT_EQ(loads(schedule, servers)[LinkKind::Network], std::set<std::uint64_t>{2 * 3 * 4 * Elements / 4});
}

// The time is 2 (n - 1) (a + S / (n b)) and a step that makes the last sums. A step crosses its link with
// data, answer and flag.
TEST(Estimate, OfARingIsTheTextbooks) {
    constexpr double Floor = 100e-6, Step = 2e-6, Hop = 0.5e-6, Bandwidth = 10e9, Much = 1e18;
    for (const std::uint32_t n : {2u, 4u, 8u}) {
        const Topology row{Cluster{1, 1, n, 1}};
        const std::uint64_t elements = n * 1000;
        const Schedule schedule =
            make_schedule(request_of(Operation::AllReduce, n, elements), {Algorithm::Ring});
        const Timing timing{Floor, Step, Hop, 0, {Bandwidth, Much, Much}, Much, Much};
        const double chunk = 4.0 * 1000 / Bandwidth;
        EXPECT_NEAR(estimate_seconds(schedule, row, timing),
                    Floor + Step + 2 * (n - 1) * (Step + 3 * Hop + chunk), 1e-12);
    }
}

// Each stage takes a second, everything else no time.
TEST(Estimate, StagesAreThoseOfThePage) {
    struct Row {
        Algorithm algorithm;
        std::uint32_t ranks;
        bool in_place;
        double stages;
    };
    const Row rows[] = {
        {Algorithm::Ring, 8, false, 15},          {Algorithm::Mesh, 8, false, 2},
        {Algorithm::Mesh, 32, false, 3},          {Algorithm::SingleStepMesh, 8, false, 1},
        {Algorithm::SingleStepMesh, 8, true, 2},  {Algorithm::HalvingDoubling, 8, false, 7},
        {Algorithm::HalvingDoubling, 6, true, 6}, {Algorithm::Kangaring, 8, false, 8},
        {Algorithm::Hierarchical, 8, false, 10},
    };
    constexpr double Much = 1e18;
    const Topology server{Cluster{}};
    for (const auto& [algorithm, ranks, in_place, stages] : rows) {
        Request request = request_of(Operation::AllReduce, ranks, 96);
        request.in_place = in_place;
        const Schedule schedule = make_schedule(request, {algorithm, {}, 4});
        EXPECT_NEAR(estimate_seconds(schedule, server, {0, 1, 0, 0, {Much, Much, Much}, Much, Much}), stages,
                    1e-6)
            << name(algorithm) << " " << ranks;
    }
}

// Tests each resource alone: a copy of 4000 bytes between servers, and a sum of two such blocks read from a
// neighbour.
TEST(Estimate, CountsEveryResource) {
    constexpr double Much = 1e18;
    const Topology servers{Cluster{2, 1, 4, 2}};
    Request send = request_of(Operation::SendReceive, 16, 1000);
    send.pairs = {{0, 8}, {2, 10}};  // both over the network
    const Schedule schedule = make_schedule(send, {Algorithm::Direct});
    const auto seconds = [&](const Timing& timing) { return estimate_seconds(schedule, servers, timing); };
    EXPECT_NEAR(seconds({0, 1, 0, 3, {Much, Much, Much}, Much, Much}), 4, 1e-9);
    EXPECT_NEAR(seconds({0, 0, 0, 0, {Much, Much, 1000}, Much, Much}), 8, 1e-9);
    EXPECT_NEAR(seconds({0, 0, 0, 0, {Much, Much, Much}, 1000, Much}), 4, 1e-9);
    EXPECT_NEAR(seconds({0, 0, 0, 0, {Much, Much, Much}, Much, 1000}), 4, 1e-9);
    // A read first sends a request, so a stage of reads takes twice the latency of its path; a stage of
    // writes takes it three times.
    const Schedule mesh = make_schedule(request_of(Operation::AllReduce, 4, 1000), {Algorithm::Mesh});
    const Topology row{Cluster{1, 1, 4, 1}};
    EXPECT_NEAR(estimate_seconds(mesh, row, {0, 0, 1, 0, {Much, Much, Much}, Much, Much}), 2 * 2 + 3 * 2,
                1e-9);
}

}  // namespace
}  // namespace trnsim::collectives::test
