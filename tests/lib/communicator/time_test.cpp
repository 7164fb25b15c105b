// The time of ring all-reduces against the closed form of the configured links, engines and memories
// (docs/collectives.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "lib/communicator/communicator.hpp"
#include "lib/communicator/server_of.hpp"

namespace trnsim::communicator {
namespace {

double microseconds(Communicator& communicator, std::uint64_t bytes) {
    Buffers buffers;
    for (std::uint32_t rank = 0; rank < communicator.ranks(); ++rank) {
        buffers.input.push_back(communicator.region(rank).base);
        buffers.output.push_back(communicator.region(rank).base + (1ULL << 30));
    }
    communicator.prepare({.dtype = isa::Dtype::Bf16, .count = bytes / 2, .ranks = communicator.ranks()},
                         buffers, {.algorithm = collectives::Algorithm::Ring});
    return static_cast<double>(communicator.run()) * 1e-9;
}

// Of trn1.32xlarge, us: a DMA engine from doorbell to first write; fabric, endpoint and hop of a frame each
// way; a write to HBM.
constexpr double Start = 1.3, Fabric = 0.02, Endpoint = 0.02, Hop = 0.13, HbmWrite = 0.06;
constexpr double Way = 2 * Fabric + 2 * Endpoint + Hop;  // from chip to chip

// A doorbell, the transfer, the answer to its last write, its flag.
constexpr double LinkStage = Fabric + Start + Way + HbmWrite + Way + Way;
constexpr double LocalStage = Fabric + Start + Fabric + HbmWrite + Fabric + Fabric;

// Bytes a us. Of a link each way: a burst of 512 bytes has 17 flits of 32, and one comes back. Of a rank's 16
// engines, with the gaps between bursts of 512 bytes, and of its stack.
constexpr double Link = 48e3 * 512 / (18 * 32), Engines = 16 * 512 / (512 / 27.2e3 + 9.4e-3), Memory = 410e3;

struct Ring {
    double ranks, cycles;
    double links = 1;  // hops that go over links, of all
};

// Reduce-scatter reads two and writes one where all-gather reads one and writes one; all cycles of a rank share
// its engines and its memory. Between the two every rank combines its own chunk in its memory.
double closed_form(const Ring& ring, double bytes) {
    const double hops = 2 * (ring.ranks - 1), chunk = bytes / ring.ranks, part = chunk / ring.cycles;
    const double reduce = std::min({Link, Engines / 2 / ring.cycles, Memory / 3 / ring.cycles});
    const double gather = std::min({Link, Engines / ring.cycles, Memory / 2 / ring.cycles});
    const double stages = hops * (ring.links * LinkStage + (1 - ring.links) * LocalStage) + LocalStage;
    return stages + hops / 2 * part * (1 / reduce + 1 / gather) + chunk * std::max(2 / Engines, 3 / Memory);
}

void expect_closed_form(const std::string& keys, const Ring& ring, const std::vector<std::uint64_t>& sizes) {
    tlm::LinkedServer server(test::server_of(keys), {.collectives = true});
    Communicator communicator(server,
                              first_cores(server.description(), static_cast<std::uint32_t>(ring.ranks)));
    for (const std::uint64_t bytes : sizes) {
        const double expected = closed_form(ring, static_cast<double>(bytes));
        const double took = microseconds(communicator, bytes);
        EXPECT_NEAR(took / expected, 1, 0.05)
            << bytes << " bytes: " << took << " us, closed form " << expected;
    }
}

TEST(CommunicatorTime, RingOfTwoChips) {
    expect_closed_form("chips: 2\nslots: [none]\ntopology: chain 2\n", {2, 1},
                       {4096, 4ULL << 20, 16ULL << 20});
}

TEST(CommunicatorTime, BothWaysRoundARing) {
    expect_closed_form("chips: 5\nslots: [none]\ntopology: ring 5\n", {5, 2},
                       {4096, 4ULL << 20, 16ULL << 20});
}

TEST(CommunicatorTime, FourCyclesOfATorus) {
    expect_closed_form("slots: [none]\n", {16, 4}, {4096, 4ULL << 20, 16ULL << 20});
}

// Every other hop is within a chip.
TEST(CommunicatorTime, TwoCoresOfEachChip) {
    expect_closed_form("", {32, 4, 0.5}, {4ULL << 20});
}

// The form knows nothing of links with three quarters of their lanes: the ring takes longer, by no more than its
// bytes do there.
TEST(CommunicatorTime, OneSlowerLinkIsNoticed) {
    tlm::LinkedServer server(test::server_of("chips: 5\nslots: [none]\ntopology: ring 5\n"),
                             {.collectives = true});
    Communicator communicator(server, first_cores(server.description(), 5));
    constexpr std::uint64_t Bytes = 4ULL << 20;
    const double before = microseconds(communicator, Bytes);
    for (unsigned port = 0; port < tlm::neuronlink::Ports; ++port)
        server.network().wire({2, port}).set_lanes(12);
    const double after = microseconds(communicator, Bytes);
    const double added = 2 * 4.0 / 5 * Bytes / 2 / Link * (16.0 / 12 - 1);
    EXPECT_GT(after / closed_form({5, 2}, Bytes), 1.05);
    EXPECT_GT(after - before, added / 2) << before << " us, then " << after;
    EXPECT_LT(after - before, added * 1.1) << before << " us, then " << after;
}

}  // namespace
}  // namespace trnsim::communicator
