// Tests the messages of requests that are refused; choices and factors.
#include <gtest/gtest.h>

#include "compiler/collectives/choice.hpp"
#include "compiler/collectives/error.hpp"
#include "compiler/collectives/generate.hpp"
#include "compiler/collectives/torus.hpp"

namespace trnsim::collectives {
namespace {

std::string refusal(const Request& request, const Plan& plan) {
    try {
        make_schedule(request, plan);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(Request, RefusesWhatDoesNotFit) {
    struct Row {
        const char* what;
        void (*spoil)(Request&, Plan&);
    };
    const Row rows[] = {
        {"", [](Request&, Plan&) {}},
        {"request: 0 ranks, expected 1 to 4096", [](Request& r, Plan&) { r.ranks = 0; }},
        {"request: 5000 ranks, expected 1 to 4096", [](Request& r, Plan&) { r.ranks = 5000; }},
        {"request: element type 0, expected one of the DMA engines",
         [](Request& r, Plan&) { r.dtype = isa::Dtype{}; }},
        {"request: group 1 is empty, expected a rank",
         [](Request& r, Plan&) {
             r.groups = {{0}, {}};
         }},
        {"request: group 0: rank 6, expected one below 6", [](Request& r, Plan&) { r.groups = {{6}}; }},
        {"request: group 1: rank 2 is in group 0 already",
         [](Request& r, Plan&) {
             r.groups = {{2}, {1, 2}};
         }},
        {"request: a buffer of 2^40 elements or more",
         [](Request& r, Plan&) { r.count = std::uint64_t{1} << 38; }},
        {"request: 2 counts, expected 6, one of each member",
         [](Request& r, Plan&) {
             r.operation = Operation::AllGatherV;
             r.counts = {1, 2};
         }},
        {"request: 1 rows of counts, expected 6, one of each member",
         [](Request& r, Plan& p) {
             r.operation = Operation::AllToAllV;
             r.pair_counts = {{1}};
             p.algorithm = Algorithm::Direct;
         }},
        {"request: 1 counts in a row, expected 6, one of each member",
         [](Request& r, Plan&) {
             r.operation = Operation::AllToAllV;
             r.pair_counts.assign(6, {1});
         }},
        {"request: root 6, expected one of 6 members",
         [](Request& r, Plan&) {
             r.operation = Operation::Broadcast;
             r.root = 6;
         }},
        {"request: pair 0 to 9: rank 9 is in no group",
         [](Request& r, Plan&) {
             r.pairs = {{0, 9}};
         }},
        {"request: pair 0 to 3: rank 3 is in no group",
         [](Request& r, Plan&) {
             r.groups = {{0, 1}};
             r.pairs = {{0, 3}};
         }},
        {"request: pair 0 to 2: ranks of groups 0 and 1, expected one group",
         [](Request& r, Plan&) {
             r.groups = {{0, 1}, {2}};
             r.pairs = {{0, 2}};
         }},
        {"request: pair 1 to 2: rank 2 receives twice",
         [](Request& r, Plan&) {
             r.pairs = {{0, 2}, {1, 2}};
         }},
        {"request: pair 0 to 3: rank 0 sends twice",
         [](Request& r, Plan&) {
             r.operation = Operation::Permute;
             r.pairs = {{0, 2}, {0, 3}};
         }},
        {"plan: direct of all-reduce, which has no such algorithm",
         [](Request&, Plan& p) { p.algorithm = Algorithm::Direct; }},
        {"plan: inner groups of 4 members, expected a divisor of 6",
         [](Request&, Plan& p) {
             p.algorithm = Algorithm::Hierarchical;
             p.inner = 4;
         }},
        {"plan: inner groups of 0 members, expected a divisor of 6",
         [](Request&, Plan& p) { p.algorithm = Algorithm::Hierarchical; }},
        {"plan: cycle 1 of 6 members, expected each of 6 members once",
         [](Request&, Plan& p) {
             p.cycles = {{0, 1, 2, 3, 4, 5}, {0, 1, 2, 3, 4, 4}};
         }},
        {"plan: cycle 0 of 2 members, expected each of 6 members once",
         [](Request&, Plan& p) {
             p.cycles = {{0, 1}};
         }},
    };
    for (const Row& row : rows) {
        Request request;
        request.ranks = 6;
        request.count = 3;
        Plan plan;
        row.spoil(request, plan);
        EXPECT_EQ(refusal(request, plan), row.what);
    }
}

TEST(Choice, PublishedThresholds) {
    const auto of = [](Operation operation, std::uint64_t bytes, bool between, std::size_t members = 8) {
        return choose_algorithm(published_choices(), operation, bytes, members, between);
    };
    constexpr std::uint64_t MiB = std::uint64_t{1} << 20;
    for (const Operation operation : {Operation::AllReduce, Operation::AllGather, Operation::ReduceScatter}) {
        EXPECT_EQ(of(operation, 0, false), Algorithm::Mesh);
        EXPECT_EQ(of(operation, MiB - 1, false), Algorithm::Mesh);
        EXPECT_EQ(of(operation, MiB, false), Algorithm::HalvingDoubling);
        EXPECT_EQ(of(operation, 56 * MiB - 1, false), Algorithm::HalvingDoubling);
        EXPECT_EQ(of(operation, 56 * MiB, false), Algorithm::Ring);
    }
    EXPECT_EQ(of(Operation::AllReduce, 64 * MiB, false, 2), Algorithm::Mesh);
    EXPECT_EQ(of(Operation::AllReduce, 64 * MiB, false, 3), Algorithm::Ring);
    EXPECT_EQ(of(Operation::AllReduce, 8, true), Algorithm::Hierarchical);
    EXPECT_EQ(of(Operation::AllGather, 8, true), Algorithm::Ring);
    EXPECT_EQ(of(Operation::AllToAll, 8, false), Algorithm::Direct);
    const Choice own[] = {{Operation::AllReduce, false, 8, 100, Algorithm::SingleStepMesh}};
    EXPECT_EQ(choose_algorithm(own, Operation::AllReduce, 99, 8, false), Algorithm::SingleStepMesh);
    EXPECT_EQ(choose_algorithm(own, Operation::AllReduce, 100, 8, false), Algorithm::Ring);
    EXPECT_EQ(choose_algorithm(own, Operation::AllReduce, 99, 9, false), Algorithm::Ring);
}

TEST(Choice, BusFactors) {
    EXPECT_DOUBLE_EQ(bus_factor(Operation::AllReduce, 16), 1.875);
    EXPECT_DOUBLE_EQ(bus_factor(Operation::AllGather, 16), 0.9375);
    EXPECT_DOUBLE_EQ(bus_factor(Operation::ReduceScatter, 4), 0.75);
    EXPECT_DOUBLE_EQ(bus_factor(Operation::AllToAll, 2), 0.5);
    EXPECT_DOUBLE_EQ(bus_factor(Operation::Permute, 8), 1);
    EXPECT_DOUBLE_EQ(bus_factor(Operation::SendReceive, 8), 1);
}

}  // namespace
}  // namespace trnsim::collectives
