// Tests every operation with every algorithm: compares bits with the oracle, and runs the checker on every
// schedule.
#include <gtest/gtest.h>

#include "common/random.hpp"
#include "compiler/collectives/cases.hpp"
#include "compiler/collectives/check.hpp"
#include "compiler/collectives/reduction_oracle.hpp"

namespace trnsim::collectives::test {
namespace {

constexpr std::uint8_t Filling = 0xa5;
constexpr std::uint32_t RoundingSeed = 77;

using Bits = std::vector<std::uint32_t>;

constexpr isa::AluOp AluOps[] = {isa::AluOp::Add, isa::AluOp::Multiply, isa::AluOp::Min, isa::AluOp::Max};

std::uint64_t sum(const std::vector<std::uint64_t>& counts, std::size_t first) {
    return std::accumulate(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(first),
                           std::uint64_t{0});
}

// Returns the number of elements of a member's input, and the element of the buffer at which they begin.
std::pair<std::uint64_t, std::uint64_t> input_of(const Request& request, std::size_t member, std::size_t n) {
    switch (request.operation) {
        case Operation::ReduceScatter:
        case Operation::AllToAll:
            return {n * request.count, 0};
        case Operation::AllGather:
            return {request.count, request.in_place ? member * request.count : 0};
        case Operation::AllGatherV:
            return {request.counts[member], request.in_place ? sum(request.counts, member) : 0};
        case Operation::AllToAllV:
            return {sum(request.pair_counts[member], n), 0};
        case Operation::Broadcast:
            return {member == request.root ? request.count : 0, 0};
        default:
            return {request.count, 0};
    }
}

// Returns nothing for a member that gets nothing.
std::optional<Bits> expected_of(const Case& test, const std::vector<Rank>& ranks,
                                const std::vector<Bits>& inputs, std::size_t member) {
    const Request& request = test.request;
    const std::size_t n = ranks.size();
    const std::uint64_t count = request.count;
    Bits all;
    const auto append = [&](std::size_t from, std::uint64_t first, std::uint64_t elements) {
        for (std::uint64_t e = first; e < first + elements; ++e) all.push_back(inputs[from][e]);
    };
    switch (request.operation) {
        case Operation::AllReduce:
        case Operation::ReduceScatter: {
            const bool whole = request.operation == Operation::AllReduce;
            const ReductionOracle oracle(AluOps[static_cast<std::size_t>(request.reduction)],
                                         trnsim::test::element_format(request.dtype), request.stochastic,
                                         RoundingSeed);
            const std::uint64_t elements = whole ? count : n * count;
            for (std::uint64_t e = 0; e < count; ++e) {
                const std::uint64_t of_vector = whole ? e : member * count + e;
                Bits x;
                for (const Bits& input : inputs) x.push_back(input[of_vector]);
                all.push_back(reduced(oracle, test.plan, whole, x, of_vector, elements));
            }
            return all;
        }
        case Operation::AllGather:
        case Operation::AllGatherV:
            for (std::size_t from = 0; from < n; ++from) append(from, 0, inputs[from].size());
            return all;
        case Operation::AllToAll:
            for (std::size_t from = 0; from < n; ++from) append(from, member * count, count);
            return all;
        case Operation::AllToAllV:
            for (std::size_t from = 0; from < n; ++from)
                append(from, sum(request.pair_counts[from], member), request.pair_counts[from][member]);
            return all;
        case Operation::Broadcast:
            append(request.root, 0, count);
            return all;
        case Operation::Permute:
        case Operation::SendReceive:
            for (const auto& [source, destination] : request.pairs) {
                if (destination != ranks[member]) continue;
                append(static_cast<std::size_t>(std::ranges::find(ranks, source) - ranks.begin()), 0, count);
                return all;
            }
            return {};
        case Operation::Barrier:
            return {};
    }
    return {};
}

// All members of an all-reduce get the same output, so the oracle computes it once.
void check_outputs(const Case& test, const std::vector<Rank>& ranks, const std::vector<Bits>& inputs,
                   const std::vector<Memory>& memories) {
    const Request& request = test.request;
    std::optional<Bits> expected;
    for (std::size_t m = 0; m < ranks.size(); ++m) {
        if (m == 0 || request.operation != Operation::AllReduce)
            expected = expected_of(test, ranks, inputs, m);
        if (!expected) continue;
        const std::uint64_t first =
            request.operation == Operation::ReduceScatter && request.in_place ? m * request.count : 0;
        for (std::uint64_t e = 0; e < expected->size(); ++e) {
            ASSERT_EQ(bits_at(memories[ranks[m]], Buffer::Output, first + e, request.dtype), (*expected)[e])
                << "rank " << ranks[m] << ", element " << e;
        }
    }
}

void check(const Case& test, std::mt19937_64& random) {
    SCOPED_TRACE(test.text());
    const Schedule schedule = make_schedule(test.request, test.plan);
    ASSERT_EQ(fault_of_order(schedule), std::nullopt);
    ASSERT_EQ(fault_of_contents(schedule, test.request), std::nullopt);
    std::vector<Memory> memories = make_memories(schedule, Filling);
    const auto groups = groups_of(test.request);
    const auto size = static_cast<int>(isa::element_size(test.request.dtype));
    const Buffer buffer = test.request.in_place ? Buffer::Output : Buffer::Input;
    std::vector<std::vector<Bits>> inputs;
    for (const auto& ranks : groups) {
        auto& of_group = inputs.emplace_back(ranks.size());
        for (std::size_t m = 0; m < ranks.size(); ++m) {
            if (test.request.operation == Operation::Barrier) continue;
            const auto [count, first] = input_of(test.request, m, ranks.size());
            auto& bytes = memories[ranks[m]][static_cast<std::size_t>(buffer)];
            for (std::uint64_t e = 0; e < count; ++e) {
                of_group[m].push_back(random_element(test.request.dtype, random));
                std::vector<std::uint8_t> element;
                trnsim::test::put_element(element, of_group[m].back(), size);
                const auto at = static_cast<std::ptrdiff_t>((first + e) * static_cast<std::uint64_t>(size));
                // A member that sends nothing has no input.
                if (bytes.size() >= (first + e + 1) * static_cast<std::uint64_t>(size))
                    std::ranges::copy(element, bytes.begin() + at);
            }
        }
    }
    execute(schedule, memories, {RoundingSeed, random()});
    for (std::size_t g = 0; g < groups.size(); ++g) check_outputs(test, groups[g], inputs[g], memories);
}

// Checks each algorithm of each operation on this many ranks; all other choices are random.
void check_all(std::uint32_t ranks, std::uint64_t most, std::mt19937_64& random) {
    std::size_t type = random() % Types.size();
    for (const Operation operation : Operations) {
        for (const Algorithm algorithm : algorithms(operation)) {
            for (const bool in_place : {false, true}) {
                std::vector<std::uint64_t> counts{0, 1, ranks - 1, ranks + 1, random() % most};
                // On many ranks only one corner and a random count are tested.
                if (ranks > 20) counts = {counts[random() % 4], counts[4]};
                for (const std::uint64_t count : counts) {
                    Case test;
                    test.request.operation = operation;
                    test.request.reduction = static_cast<Reduction>(random() % 4);
                    test.request.dtype = Types[type++ % Types.size()];
                    test.request.count = reduces(operation) && operation != Operation::AllReduce
                                             ? count % (most / ranks + 2)
                                             : count;
                    if (operation == Operation::AllToAll || operation == Operation::AllToAllV)
                        test.request.count = count % 5;
                    test.request.ranks = ranks;
                    test.request.stochastic = random() % 2 == 0;
                    test.request.in_place = in_place;
                    test.plan.algorithm = algorithm;
                    if (algorithm == Algorithm::Hierarchical) {
                        do test.plan.inner = 1 + static_cast<std::uint32_t>(random() % ranks);
                        while (ranks % test.plan.inner != 0);
                    }
                    fill_in(test.request, random);
                    check(test, random);
                    if (::testing::Test::HasFatalFailure()) return;
                }
            }
        }
    }
}

class Collectives : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(Collectives, EveryOperationByEveryAlgorithm) {
    std::mt19937_64 random = trnsim::test::generator();
    for (std::uint64_t i = 0; i < trnsim::test::heavy_scale(); ++i) {
        check_all(GetParam(), 150, random);
        if (HasFatalFailure()) return;
    }
}

INSTANTIATE_TEST_SUITE_P(Ranks, Collectives, ::testing::Values(1, 2, 3, 5, 8, 13, 16, 17, 32, 33, 64),
                         ::testing::PrintToStringParamName());

// Tests every type with every operation and algorithm of reductions on 6 ranks, which is no power of two; and
// sums on 20 ranks, which are more than the sources of a transfer.
TEST(Reductions, EveryType) {
    std::mt19937_64 random = trnsim::test::generator();
    for (const isa::Dtype dtype : Types) {
        for (const Algorithm algorithm : algorithms(Operation::AllReduce)) {
            for (int reduction = 0; reduction < 4; ++reduction) {
                for (const std::uint32_t ranks : {6u, 20u}) {
                    if (ranks == 20 && reduction != 0) continue;
                    Case test;
                    test.request.reduction = static_cast<Reduction>(reduction);
                    test.request.dtype = dtype;
                    test.request.count = 41;
                    test.request.ranks = ranks;
                    test.request.stochastic = reduction == 0;
                    test.plan.algorithm = algorithm;
                    test.plan.inner = 2;
                    check(test, random);
                    if (HasFatalFailure()) return;
                }
            }
        }
    }
}

// Tests groups of scattered ranks, with some ranks in none, and several cycles.
TEST(Reductions, GroupsAndCycles) {
    std::mt19937_64 random = trnsim::test::generator();
    for (std::uint64_t i = 0; i < 60 * trnsim::test::scale(); ++i) {
        Case test;
        const auto all = static_cast<std::uint32_t>(2 + random() % 23);
        std::vector<Rank> ranks(all);
        std::iota(ranks.begin(), ranks.end(), Rank{0});
        std::ranges::shuffle(ranks, random);
        const std::size_t size = 1 + random() % all, groups = all / size;
        for (std::size_t g = 0; g < groups; ++g) {
            const auto first = ranks.begin() + static_cast<std::ptrdiff_t>(g * size);
            test.request.groups.emplace_back(first, first + static_cast<std::ptrdiff_t>(size));
        }
        test.request.operation = Operations[random() % Operations.size()];
        test.request.reduction = static_cast<Reduction>(random() % 4);
        test.request.dtype = Types[random() % Types.size()];
        test.request.ranks = all;
        test.request.count = random() % 60;
        test.request.in_place = random() % 2 == 0;
        test.request.stochastic = random() % 2 == 0;
        const auto choices = algorithms(test.request.operation);
        test.plan.algorithm = choices[random() % choices.size()];
        test.plan.inner = 1;
        while (test.plan.algorithm == Algorithm::Hierarchical && random() % 3 != 0) {
            const auto inner = static_cast<std::uint32_t>(1 + random() % size);
            if (size % inner == 0) test.plan.inner = inner;
        }
        const std::size_t of_cycle = test.plan.algorithm == Algorithm::Hierarchical ? test.plan.inner : size;
        for (std::uint64_t c = random() % 4; c > 0; --c) {
            auto& cycle = test.plan.cycles.emplace_back(of_cycle);
            std::iota(cycle.begin(), cycle.end(), 0u);
            std::ranges::shuffle(cycle, random);
        }
        fill_in(test.request, random);
        check(test, random);
        if (HasFatalFailure()) return;
    }
}

// The results do not depend on the order of steps that the waits leave open. All ranks of an all-reduce have
// the same bits, even if each computes its own.
TEST(Reductions, EveryOrderGivesTheSameBits) {
    for (const Algorithm algorithm : algorithms(Operation::AllReduce)) {
        Request request;
        request.dtype = isa::Dtype::Bf16;
        request.count = 67;
        request.ranks = 12;
        request.stochastic = true;
        const Schedule schedule = make_schedule(request, {algorithm, {}, 4});
        std::vector<Memory> first;
        for (std::uint64_t order = 0; order < 20; ++order) {
            std::mt19937_64 random(5);
            std::vector<Memory> memories = make_memories(schedule, Filling);
            for (Memory& memory : memories) {
                for (std::uint8_t& byte : memory[0]) byte = static_cast<std::uint8_t>(random() % 64);
            }
            execute(schedule, memories, {RoundingSeed, order});
            if (order == 0) first = memories;
            for (const Memory& memory : memories) {
                EXPECT_EQ(memory[1], first[0][1]) << name(algorithm) << ", order " << order;
            }
        }
    }
}

}  // namespace
}  // namespace trnsim::collectives::test
