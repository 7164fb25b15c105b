// The time of ring all-reduces against the closed form of the configured links, engines and memories.
#include <gtest/gtest.h>

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
    communicator.prepare({.dtype = isa::Dtype::Fp32, .count = bytes / 4, .ranks = communicator.ranks()},
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

// Bytes a us that a link carries each way: a burst of 512 bytes has 17 flits of 32, and one comes back.
constexpr double Rate = 48e3 * 512 / (18 * 32);

// 2n - 1 stages, one of them within the chips; each link carries 2 (n - 1) / n of the bytes, divided among the
// cycles.
double closed_form(double ranks, double cycles, double bytes) {
    return 2 * (ranks - 1) * LinkStage + LocalStage + 2 * (ranks - 1) / ranks * bytes / cycles / Rate;
}

void expect_closed_form(const std::string& keys, std::uint32_t ranks, unsigned cycles) {
    tlm::LinkedServer server(test::server_of(keys), {.collectives = true});
    Communicator communicator(server, first_cores(server.description(), ranks));
    for (const std::uint64_t bytes : {1ULL << 10, 1ULL << 20, 4ULL << 20}) {
        const double expected = closed_form(ranks, cycles, static_cast<double>(bytes));
        const double took = microseconds(communicator, bytes);
        EXPECT_NEAR(took / expected, 1, 0.05)
            << bytes << " bytes: " << took << " us, closed form " << expected;
    }
}

TEST(CommunicatorTime, RingOfTwoChips) {
    expect_closed_form("chips: 2\nslots: [none]\ntopology: chain 2\n", 2, 1);
}

TEST(CommunicatorTime, BothWaysRoundARing) {
    expect_closed_form("chips: 5\nslots: [none]\ntopology: ring 5\n", 5, 2);
}

}  // namespace
}  // namespace trnsim::communicator
