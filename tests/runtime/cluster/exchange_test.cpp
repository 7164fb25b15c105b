// Tests the time of schedules between servers: closed forms, conservation of bytes, adapters that represent
// others.
#include "runtime/cluster/exchange.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "common/random.hpp"
#include "compiler/collectives/generate.hpp"
#include "isa/element_type.hpp"

namespace trnsim::cluster {
namespace {

using collectives::Algorithm;
using collectives::Operation;
using collectives::Request;
using collectives::Schedule;
using tlm::efa::LinkKind;
using tlm::efa::Network;

// The figures are round: a byte takes 100 ps on the wire and 10 ps to combine.
constexpr tlm::efa::Parameters Plain{.adapters = 1,
                                     .bandwidth = 10'000'000'000,
                                     .efficiency = 1,
                                     .latency = 15 * FsPerUs,
                                     .packet = 4096,
                                     .header = 0};
constexpr double Wire = 1e5, Combining = 1e4;  // fs a byte
constexpr double Latency = 15e9, Step = 2e9;
constexpr std::uint64_t Whole = std::uint64_t{1} << 50;

ExchangeParameters parameters(std::uint64_t segment) {
    return {.segment = segment, .step = static_cast<Time>(Step), .combine = 1e15 / Combining};
}

Request request_of(Operation operation, std::uint64_t count, std::uint32_t servers) {
    return {.operation = operation, .dtype = isa::Dtype::U8, .count = count, .ranks = servers};
}

double time_of(const Request& request, Algorithm algorithm, const ExchangeParameters& how) {
    Network network(request.ranks, Plain);
    return static_cast<double>(
        play(collectives::make_schedule(request, {.algorithm = algorithm}), how, network));
}

// There are 2 (n - 1) messages of a chunk, one after the other, and 2 n - 1 steps; n - 1 of these combine.
TEST(Exchange, ARingTakesItsClosedForm) {
    for (const std::uint32_t n : {2u, 3u, 5u, 8u, 13u}) {
        for (const double chunk : {1.0, 1000.0, 1e6}) {
            const double hops = n - 1;
            const double expected =
                (2 * hops + 1) * Step + 2 * hops * (chunk * Wire + Latency) + hops * chunk * Combining;
            const auto request = request_of(Operation::AllReduce, static_cast<std::uint64_t>(chunk) * n, n);
            EXPECT_NEAR(time_of(request, Algorithm::Ring, parameters(Whole)), expected, 1e-9 * expected)
                << n << " servers, chunks of " << chunk;
        }
    }
}

TEST(Exchange, HalvesOfARingTakeTheirs) {
    constexpr double N = 5, Chunk = 10'000;
    const auto scatter = request_of(Operation::ReduceScatter, 10'000, 5);
    EXPECT_NEAR(time_of(scatter, Algorithm::Ring, parameters(Whole)),
                (N - 1) * (Step + Chunk * Wire + Latency) + Step + (N - 1) * Chunk * Combining, 1000);
    const auto gather = request_of(Operation::AllGather, 10'000, 5);
    EXPECT_NEAR(time_of(gather, Algorithm::Ring, parameters(Whole)),
                (N - 1) * (Step + Chunk * Wire + Latency), 1000);
}

// A segment is forwarded on arrival: a hop takes the wire's time of a chunk, or the time of a segment round
// the ring if that is longer.
TEST(Exchange, SegmentsOfARingOverlap) {
    for (const double segments : {2.0, 7.0, 40.0}) {
        for (const double segment : {1000.0, 100'000.0}) {
            constexpr double N = 4;
            const double chunk = segments * segment;
            const double turn = segment * Wire + Latency + Step;
            const double gather = std::max(chunk * Wire, turn);
            const double reduce = std::max(chunk * Wire, turn + segment * Combining);
            const double middle = std::max(chunk * Wire, turn + segment * Combining + Step);
            const double expected =
                Step + (N - 2) * reduce + middle + (N - 2) * gather + chunk * Wire + Latency;
            const auto request = request_of(Operation::AllReduce, static_cast<std::uint64_t>(chunk * N), 4);
            const double found =
                time_of(request, Algorithm::Ring, parameters(static_cast<std::uint64_t>(segment)));
            EXPECT_NEAR(found, expected, 0.05 * expected) << segments << " segments of " << segment;
            EXPECT_LT(found, time_of(request, Algorithm::Ring, parameters(Whole)));
        }
    }
}

// There are log2 n rounds each way, of halves, quarters, ...; all but the first combine.
TEST(Exchange, HalvingAndDoublingTakesItsClosedForm) {
    for (const std::uint32_t n : {2u, 4u, 16u}) {
        const double rounds = std::log2(n), bytes = 160'000;
        const double expected = (2 * rounds + 1) * Step + 2 * rounds * Latency +
                                2 * bytes * (1 - 1.0 / n) * Wire + bytes / 2 * Combining;
        EXPECT_NEAR(time_of(request_of(Operation::AllReduce, 160'000, n), Algorithm::HalvingDoubling,
                            parameters(Whole)),
                    expected, 1e-9 * expected)
            << n << " servers";
    }
}

// A read from another server first sends a request. Of three servers the second is folded into the first: the
// first asks for half of its vector, combines it with its own and sends the result to the third; the third
// combines and sends it back, and at last the first passes it on to the second.
TEST(Exchange, AFoldedServerIsRead) {
    constexpr double Half = 20'000;
    EXPECT_NEAR(
        time_of(request_of(Operation::AllReduce, 40'000, 3), Algorithm::HalvingDoubling, parameters(Whole)),
        4 * Step + 5 * Latency + 4 * Half * Wire + 2 * Half * Combining, 1000);
}

// The bytes that leave and arrive are those that the schedule moves between servers, with any segments.
TEST(Exchange, BytesAreConserved) {
    auto random = test::generator();
    for (std::uint64_t n = 0; n < 60 * test::scale(); ++n) {
        const Operation operations[] = {Operation::AllReduce, Operation::ReduceScatter, Operation::AllGather};
        const auto request = request_of(operations[random() % 3], random() % 5000,
                                        static_cast<std::uint32_t>(2 + random() % 9));
        const auto algorithm = random() % 2 == 0 ? Algorithm::Ring : Algorithm::HalvingDoubling;
        const Schedule schedule = collectives::make_schedule(request, {.algorithm = algorithm});
        std::map<std::pair<LinkKind, std::uint32_t>, double> expected;
        for (const auto& step : schedule.steps) {
            const auto bytes = static_cast<double>(step.transfer.elements);
            for (const auto& source : step.transfer.sources)
                if (source.place.rank != step.rank)
                    expected[{LinkKind::Send, source.place.rank}] += bytes,
                        expected[{LinkKind::Receive, step.rank}] += bytes;
            for (const auto& to : step.transfer.destinations)
                if (to.place.rank != step.rank)
                    expected[{LinkKind::Send, step.rank}] += bytes,
                        expected[{LinkKind::Receive, to.place.rank}] += bytes;
        }
        ExchangeParameters how = parameters(1 + random() % 1000);
        how.ranks = static_cast<std::uint32_t>(1 + random() % 4);
        Network network(request.ranks, Plain);
        play(schedule, how, network);
        for (const auto& link : network.links())
            ASSERT_NEAR(link.bytes, (how.ranks * expected[{link.kind, link.number}]), 1e-3)
                << "case " << n << " " << tlm::efa::name(link.kind) << " " << link.number;
    }
}

// All adapters of a server do the same at the same times, so one represents them if the switches have its
// share.
TEST(Exchange, OneAdapterStandsForAll) {
    for (const Algorithm algorithm : {Algorithm::Ring, Algorithm::HalvingDoubling}) {
        const Schedule schedule = collectives::make_schedule(request_of(Operation::AllReduce, 120'007, 12),
                                                             {.algorithm = algorithm});
        tlm::efa::Parameters all = Plain;
        all.adapters = 4;
        all.hop = FsPerUs;
        all.tiers = {tlm::efa::Tier{3, 4}, tlm::efa::Tier{6, 6}};
        ExchangeParameters how = parameters(3000);
        Network one(12, [&] {
            tlm::efa::Parameters alone = all;
            alone.adapters = 1;
            return alone;
        }());
        const auto alone = static_cast<double>(play(schedule, how, one));
        how.adapters = {0, 1, 2, 3};
        Network network(12, all);
        const auto together = static_cast<double>(play(schedule, how, network));
        EXPECT_NEAR(alone / together, 1, 1e-6) << name(algorithm);
        if (algorithm == Algorithm::HalvingDoubling) {
            EXPECT_GT(one.waiting().slowdown(), 1.01) << "the switches are too narrow";
        }
    }
}

// The ranks of an adapter share its bandwidth; their combining takes no longer.
TEST(Exchange, RanksShareAnAdapter) {
    ExchangeParameters how = parameters(Whole);
    how.ranks = 4;
    constexpr double Chunk = 10'000;
    EXPECT_NEAR(time_of(request_of(Operation::AllReduce, 20'000, 2), Algorithm::Ring, how),
                3 * Step + 2 * (4 * Chunk * Wire + Latency) + Chunk * Combining, 1000);
}

}  // namespace
}  // namespace trnsim::cluster
