// Tests which algorithm the part between servers takes on which network, and what it reports.
#include "runtime/cluster/between.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "model/system/load_server.hpp"
#include "runtime/cluster/error.hpp"

namespace trnsim::cluster {
namespace {

using collectives::Algorithm;
using tlm::efa::LinkKind;

config::Server server() {
    return tlm::load_server("trn1.32xlarge");
}

collectives::Request all_reduce(std::uint64_t count, std::uint32_t servers) {
    return {.dtype = isa::Dtype::U8, .count = count, .ranks = servers};
}

Between between(std::uint64_t count, std::uint32_t servers, const char* network,
                std::optional<Algorithm> algorithm = {}) {
    return time_between(all_reduce(count, servers), 32, server(), config::read_network(network), algorithm);
}

TEST(Between, RanksAreDealtEvenlyToAdapters) {
    EXPECT_EQ(adapters_used(32, 8), 8u);
    EXPECT_EQ(adapters_used(2, 8), 2u);
    EXPECT_EQ(adapters_used(1, 8), 1u);
    EXPECT_EQ(adapters_used(12, 8), 6u);
    EXPECT_EQ(adapters_used(11, 8), 1u);
}

// The links of leaves and spines have a share for one adapter if eight are in use, and all for the only one
// in use.
TEST(Between, SwitchesHaveAShareForAnAdapter) {
    const auto network = config::read_network("oversubscribed");
    for (const std::uint32_t used : {1u, 8u}) {
        const tlm::efa::Network wires(32, parameters_of(server(), network, used));
        tlm::efa::Network copy = wires;
        for (const auto& link : copy.links()) {
            const double adapter = 12.5e9 * 0.78;
            const bool leaf = link.kind == LinkKind::LeafUp || link.kind == LinkKind::LeafDown;
            const bool spine = link.kind == LinkKind::SpineUp || link.kind == LinkKind::SpineDown;
            const double expected = leaf    ? 16 * adapter / 2 * 8 / used
                                    : spine ? 256 * adapter / 4 * 8 / used
                                            : adapter;
            EXPECT_NEAR(link.capacity, expected, 1e-6 * expected) << tlm::efa::name(link.kind);
        }
    }
}

TEST(Between, TheFasterAlgorithmIsTaken) {
    for (const std::uint64_t count : {std::uint64_t{1024}, std::uint64_t{4} << 20}) {
        const Between ring = between(count, 24, "ultracluster", Algorithm::Ring);
        const Between halving = between(count, 24, "ultracluster", Algorithm::HalvingDoubling);
        const Between chosen = between(count, 24, "ultracluster");
        EXPECT_EQ(ring.algorithm, Algorithm::Ring);
        EXPECT_EQ(halving.algorithm, Algorithm::HalvingDoubling);
        EXPECT_EQ(chosen.time, std::min(ring.time, halving.time));
        EXPECT_EQ(chosen.algorithm, ring.time < halving.time ? Algorithm::Ring : Algorithm::HalvingDoubling);
    }
    EXPECT_EQ(between(1024, 32, "ultracluster").algorithm, Algorithm::HalvingDoubling) << "fewer messages";
    EXPECT_EQ(between(64 << 20, 24, "ultracluster").algorithm, Algorithm::Ring) << "no servers folded in";
}

// In the far rounds of halving and doubling all servers send out of their leaf; in a ring one of the leaf's
// 16 does.
TEST(Between, NarrowLeavesCongestHalvingAndDoublingAndNoRing) {
    const Between halving = between(16 << 20, 64, "oversubscribed", Algorithm::HalvingDoubling);
    const Between wide = between(16 << 20, 64, "ultracluster", Algorithm::HalvingDoubling);
    EXPECT_GT(halving.waiting.slowdown(), 1.5);
    EXPECT_EQ(halving.busiest.kind, LinkKind::LeafUp);
    EXPECT_GT(static_cast<double>(halving.time), 1.5 * static_cast<double>(wide.time));
    EXPECT_NEAR(wide.waiting.slowdown(), 1, 1e-6);
    const Between ring = between(16 << 20, 64, "oversubscribed", Algorithm::Ring);
    EXPECT_NEAR(ring.waiting.slowdown(), 1, 1e-6);
    EXPECT_EQ(ring.busiest.kind, LinkKind::Send);
}

TEST(Between, HundredsOfServers) {
    const Between one = between(1 << 20, 512, "ultracluster");
    EXPECT_EQ(one.algorithm, Algorithm::HalvingDoubling);
    // 4 ranks share an adapter; 1 MiB of each goes both ways, in 18 rounds.
    const double wire = 2.0 * 4 * (1 << 20) * 511 / 512 * (1 + 64.0 / 8192) / (12.5e9 * 0.78);
    EXPECT_GT(static_cast<double>(one.time) * 1e-15, wire + 18 * 15e-6);
    EXPECT_LT(static_cast<double>(one.time) * 1e-15, wire + 18 * 20e-6 + 100e-6);
}

TEST(Between, WhatIsRefused) {
    const auto message = [](const std::function<void()>& call) -> std::string {
        try {
            call();
        } catch (const Error& error) {
            return error.what();
        }
        return "none";
    };
    EXPECT_EQ(message([] { between(1024, 2, "one-switch", Algorithm::Mesh); }),
              "mesh between servers, expected ring or halving-doubling");
    EXPECT_EQ(message([] { between(1024, 513, "one-switch", Algorithm::Ring); }),
              "ring of 513 servers, expected at most 512");
    EXPECT_EQ(message([] {
                  time_between(all_reduce(1024, 2), 2, tlm::load_server("trn1.2xlarge"),
                               config::read_network("one-switch"), {});
              }),
              "trn1.2xlarge: efa.adapters: found 0, expected at least 1");
}

}  // namespace
}  // namespace trnsim::cluster
