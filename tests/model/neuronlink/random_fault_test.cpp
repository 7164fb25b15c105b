// Sends random traffic while links fail in random ways: every request ends with the right data or with an
// error, and everything works again when the faults are over.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "common/random.hpp"
#include "model/neuronlink/worker.hpp"

namespace trnsim::tlm::neuronlink {
namespace {

using test::Us;
using test::WorkerBench;

struct Chances {  // per 100 steps of a microsecond
    unsigned cut, restore, lanes;
    double bit_errors, drops;
};

void run(const Topology& topology, const Chances& chances, unsigned number, perturb::Seed perturb = {}) {
    std::mt19937_64 random(test::seed() + number);
    Parameters parameters{.training_time = 2 * Us, .timeout = 400 * Us};
    constexpr std::array<Time, 3> GiveUpTimes{0, 5 * Us, 20 * Us};
    parameters.give_up_time = GiveUpTimes[random() % 3];
    parameters.retry_limit = 8 + random() % 30;
    if (random() % 2 == 0) parameters.buffer = 150;
    if (perturb) parameters.retry_limit = 200;
    WorkerBench b("b", topology, test::seed() + number, parameters, {.perturb = perturb});
    test::elaborate();

    const std::size_t cables = topology.cables.size();
    for (std::size_t i = 0; i < cables; ++i) {
        for (const End end : {topology.cables[i].a, topology.cables[i].b}) {
            const bool bad = random() % 2 == 0;
            b.network.wire(end).faults().set_rates({bad ? chances.bit_errors : 0, bad ? chances.drops : 0,
                                                    static_cast<std::uint32_t>(random())});
        }
    }
    const std::uint64_t requests = 150 * test::heavy_scale();
    b.work(requests, 10);
    // No request takes longer than its timeout, so this ends unless a request gets no answer.
    const Time longest = requests * 3 * parameters.timeout;
    while (!b.done() && now() < longest) {
        sc_core::sc_start(to_sc(Us));
        const std::size_t cable = random() % cables;
        if (random() % 100 < chances.cut) b.network.cut(cable, random() % 4 == 0);
        if (random() % 100 < chances.restore) b.network.restore(random() % cables);
        if (random() % 100 < chances.lanes) {
            const Cable& ends = topology.cables[cable];
            b.network.wire(random() % 2 == 0 ? ends.a : ends.b).set_lanes(1 + random() % 16);
        }
    }
    EXPECT_TRUE(b.done()) << "some request has no answer";
    const test::Outcomes first = b.outcomes();
    EXPECT_EQ(first.wrong, 0u);
    EXPECT_EQ(first.statuses, 0u);
    EXPECT_LE(first.errors, b.network.reports().size());

    // Ends all faults.
    for (std::size_t i = 0; i < cables; ++i) {
        for (const End end : {topology.cables[i].a, topology.cables[i].b}) {
            b.network.wire(end).faults().set_rates({});
            b.network.wire(end).set_lanes(16);
        }
        b.network.cut(i);
        b.network.restore(i);
    }
    sc_core::sc_start();
    for (std::size_t i = 0; i < cables; ++i) EXPECT_TRUE(b.network.usable(i));
    EXPECT_TRUE(b.network.idle());
    const std::uint64_t reports = b.network.reports().size();
    b.work(40, 10);
    sc_core::sc_start();
    EXPECT_TRUE(b.done());
    EXPECT_TRUE(b.network.idle());
    EXPECT_EQ(b.network.reports().size(), reports);
    EXPECT_EQ(b.outcomes().wrong, 0u);
    EXPECT_EQ(b.outcomes().errors, first.errors);
    EXPECT_GT(b.outcomes().right, first.right);
    EXPECT_EQ(b.differences(), 0u);

    LinkStatistics sum;
    std::uint64_t late = 0, stranded = 0, rerouted = 0;
    for (std::size_t i = 0; i < cables; ++i) {
        for (const bool from_a : {true, false}) {
            const LinkStatistics link = b.network.statistics(i, from_a);
            sum.sent.retries += link.sent.retries;
            sum.sent.lost += link.sent.lost;
            sum.sent.polls += link.sent.polls;
            sum.received.crc_errors += link.received.crc_errors;
            sum.received.duplicates += link.received.duplicates;
            for (const std::uint64_t peak : link.received.peak) EXPECT_LE(peak, parameters.buffer);
        }
    }
    for (unsigned chip = 0; chip < topology.chips; ++chip) {
        late += b.network.node(chip).endpoint.statistics().late;
        stranded += b.network.node(chip).router().statistics().stranded;
        rerouted += b.network.node(chip).router().statistics().rerouted;
    }
    std::printf(
        "%u chips: %lu right, %lu errors; %lu CRC errors, %lu retries, %lu duplicates, %lu polls; "
        "%lu lost with a link, %lu rerouted, %lu stranded, %lu late\n",
        topology.chips, first.right, first.errors, sum.received.crc_errors, sum.sent.retries,
        sum.received.duplicates, sum.sent.polls, sum.sent.lost, rerouted, stranded, late);
}

constexpr Chances Bits{0, 0, 0, 3e-6, 0}, ManyBits{0, 0, 0, 3e-5, 0}, Drops{0, 0, 0, 0, 0.01},
    Cuts{15, 20, 0, 0, 0}, Lanes{0, 0, 30, 0, 0}, All{15, 20, 10, 3e-6, 0.003},
    Broken{30, 15, 10, 1e-5, 0.02};

TEST(LinkRandomFaults, WrongBits) {
    run(trn1_server(), Bits, 1);
}
TEST(LinkRandomFaults, ManyWrongBits) {
    run(ring(5), ManyBits, 2);
}
TEST(LinkRandomFaults, LostFrames) {
    run(torus(3, 3), Drops, 3);
}
TEST(LinkRandomFaults, CutCables) {
    run(trn1_server(), Cuts, 4);
}
TEST(LinkRandomFaults, CutCablesOfAMesh) {
    run(mesh(3, 4), Cuts, 5);
}
TEST(LinkRandomFaults, CutCablesOfARing) {
    run(ring(6), Cuts, 6);
}
TEST(LinkRandomFaults, LanesThatFail) {
    run(torus(4, 3), Lanes, 7);
}
TEST(LinkRandomFaults, Everything) {
    run(trn1_server(), All, 8);
}
TEST(LinkRandomFaults, EverythingOnAChain) {
    run(chain(5), All, 9);
}
TEST(LinkRandomFaults, HardlyAnythingWorks) {
    run(torus(3, 4), Broken, 10);
}
TEST(LinkRandomFaults, EverythingPerturbed) {
    run(trn1_server(), All, 11, 3);
}
TEST(LinkRandomFaults, EverythingOnAGraph) {
    constexpr std::pair<unsigned, unsigned> Pairs[] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {1, 4},
                                                       {4, 5}, {5, 6}, {6, 4}, {6, 2}, {0, 5}};
    run(graph(7, Pairs), All, 12);
}

}  // namespace
}  // namespace trnsim::tlm::neuronlink
