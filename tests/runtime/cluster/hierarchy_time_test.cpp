// Compares the time of a hierarchical all-reduce with the closed forms of all three phases; the phases within
// a server are simulated.
#include <gtest/gtest.h>

#include "runtime/cluster/between.hpp"
#include "runtime/cluster/phases.hpp"
#include "runtime/communicator/communicator.hpp"
#include "runtime/communicator/ring_form.hpp"
#include "runtime/communicator/server_of.hpp"

namespace trnsim::cluster {
namespace {

using collectives::Algorithm;

double microseconds(communicator::Communicator& communicator, const collectives::Request& request) {
    communicator::Buffers buffers;
    for (std::uint32_t rank = 0; rank < communicator.ranks(); ++rank) {
        buffers.input.push_back(communicator.region(rank).base);
        buffers.output.push_back(communicator.region(rank).base + (1ULL << 30));
    }
    communicator.prepare(request, buffers, {.algorithm = Algorithm::Ring});
    return static_cast<double>(communicator.run()) * 1e-9;
}

// Five chips have a core each and five adapters; each rank uses its own adapter.
TEST(HierarchyTime, RingsOfThreePhases) {
    tlm::LinkedServer server(
        test::server_of("chips: 5\nslots: [none]\ntopology: ring 5\nefa: { adapters: 5 }\n"),
        {.collectives = true});
    communicator::Communicator communicator(server, communicator::first_cores(server.description(), 5));
    auto network = config::read_network("one-switch");
    network.segment = std::uint64_t{1} << 40;
    constexpr test::Ring Ring{5, 2};
    for (const std::uint32_t servers : {2u, 7u}) {
        for (const std::uint64_t count : {std::uint64_t{35'000}, std::uint64_t{1'400'000}}) {
            const Phases phases =
                phases_of(collectives::Operation::AllReduce, isa::Dtype::Bf16, count, {servers, 5});
            const double found =
                microseconds(communicator, *phases.before) +
                static_cast<double>(
                    time_between(phases.between, 5, server.description(), network, Algorithm::Ring).time) *
                    1e-9 +
                microseconds(communicator, *phases.after);
            const auto bytes = static_cast<double>(2 * count);
            const double chunk = bytes / 5 / servers, hops = servers - 1;
            const double wire = chunk * (1 + 64.0 / 8192) / (12.5e3 * 0.78);
            const double expected = test::reduce_scatter_us(Ring, bytes) + test::all_gather_us(Ring, bytes) +
                                    (2 * hops + 1) * 1.44 + 2 * hops * (wire + 15) + hops * chunk / 136e3;
            EXPECT_NEAR(found / expected, 1, 0.05)
                << servers << " servers, " << count << " elements: " << found << " us, closed form "
                << expected;
        }
    }
}

}  // namespace
}  // namespace trnsim::cluster
