// Compares the time of ring all-reduces with the closed form of the configured links, engines and memories
// (docs/collectives.md).
#include <gtest/gtest.h>

#include <vector>

#include "runtime/communicator/communicator.hpp"
#include "runtime/communicator/ring_form.hpp"
#include "runtime/communicator/server_of.hpp"

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

double closed_form(const test::Ring& ring, double bytes) {
    return test::reduce_scatter_us(ring, bytes) + test::all_gather_us(ring, bytes);
}

void expect_closed_form(const std::string& keys, const test::Ring& ring,
                        const std::vector<std::uint64_t>& sizes) {
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
    expect_closed_form("", {32, 4, 0.5}, {16ULL << 20});
}

// The form does not know links with three quarters of their lanes: the ring takes longer, by at most the time
// of its bytes there.
TEST(CommunicatorTime, OneSlowerLinkIsNoticed) {
    tlm::LinkedServer server(test::server_of("chips: 5\nslots: [none]\ntopology: ring 5\n"),
                             {.collectives = true});
    Communicator communicator(server, first_cores(server.description(), 5));
    constexpr std::uint64_t Bytes = 4ULL << 20;
    const double before = microseconds(communicator, Bytes);
    for (unsigned port = 0; port < tlm::neuronlink::Ports; ++port)
        server.network().wire({2, port}).set_lanes(12);
    const double after = microseconds(communicator, Bytes);
    const double added = 2 * 4.0 / 5 * Bytes / 2 / test::Link * (16.0 / 12 - 1);
    EXPECT_GT(after / closed_form({5, 2}, Bytes), 1.05);
    EXPECT_GT(after - before, added / 2) << before << " us, then " << after;
    EXPECT_LT(after - before, added * 1.1) << before << " us, then " << after;
}

}  // namespace
}  // namespace trnsim::communicator
