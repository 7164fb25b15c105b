// Compares the bits of collectives of several servers with the orders in docs/efa.md and docs/collectives.md,
// element by element.
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <random>

#include "common/random.hpp"
#include "compiler/collectives/cases.hpp"
#include "compiler/collectives/execute.hpp"
#include "compiler/collectives/reduction_oracle.hpp"
#include "runtime/cluster/error.hpp"
#include "runtime/cluster/phases.hpp"

namespace trnsim::cluster {
namespace {

using collectives::Algorithm;
using collectives::Operation;
using collectives::test::ReductionOracle;
using Bytes = std::vector<std::uint8_t>;

struct Case {
    Shape shape;
    Algorithm within, between;
    isa::Dtype dtype;
    std::uint64_t count;  // count of a Request
};

Bytes random_vector(std::uint64_t elements, isa::Dtype dtype, std::mt19937_64& random) {
    Bytes bytes;
    for (std::uint64_t e = 0; e < elements; ++e) {
        const std::uint32_t bits = collectives::test::random_element(dtype, random);
        for (unsigned b = 0; b < isa::element_size(dtype); ++b)
            bytes.push_back(static_cast<std::uint8_t>(bits >> (8 * b)));
    }
    return bytes;
}

std::uint32_t element(const Bytes& bytes, std::uint64_t e, isa::Dtype dtype) {
    return trnsim::test::element_at(bytes, e, static_cast<int>(isa::element_size(dtype)));
}

// Executes a phase within a server, on the host.
std::vector<Bytes> carry_out(const collectives::Request& request, Algorithm algorithm,
                             const std::vector<Bytes>& inputs) {
    const auto schedule = collectives::make_schedule(request, {.algorithm = algorithm});
    auto memories = collectives::make_memories(schedule, 0);
    for (std::size_t rank = 0; rank < inputs.size(); ++rank) memories[rank][0] = inputs[rank];
    collectives::execute(schedule, memories, {});
    std::vector<Bytes> outputs;
    outputs.reserve(memories.size());
    for (auto& memory : memories) outputs.push_back(memory[1]);
    return outputs;
}

// Executes all three phases of every server: outputs[server][rank].
std::vector<std::vector<Bytes>> all_phases(Operation operation, const Case& c,
                                           const std::vector<std::vector<Bytes>>& inputs) {
    const Phases phases = phases_of(operation, c.dtype, c.count, c.shape);
    std::vector<std::vector<Bytes>> parts = inputs;
    if (phases.before)
        for (auto& part : parts) part = carry_out(*phases.before, c.within, part);
    for (std::uint32_t rank = 0; rank < c.shape.ranks; ++rank) {
        std::vector<Bytes> vectors;
        vectors.reserve(parts.size());
        for (const auto& part : parts) vectors.push_back(part[rank]);
        const auto results = values_between(phases.between, c.between, vectors);
        for (std::uint32_t server = 0; server < c.shape.servers; ++server)
            parts[server][rank] = results[server];
    }
    if (phases.after)
        for (auto& part : parts) part = carry_out(*phases.after, c.within, part);
    return parts;
}

// Returns the sum of element e over the ranks of a server; the element is in the chunk of rank `owner` of
// their reduce-scatter.
std::uint32_t within(const ReductionOracle& oracle, const Case& c, const std::vector<std::uint32_t>& x,
                     std::size_t owner, std::uint64_t e) {
    std::vector<std::uint32_t> order(x.size());
    std::iota(order.begin(), order.end(), 0u);
    switch (c.within) {
        case Algorithm::Ring:
            return oracle.ring(x, order, owner, 0, e);
        case Algorithm::Mesh:
            return oracle.mesh(x, e);
        case Algorithm::HalvingDoubling:
            return oracle.halving(x, owner, e);
        default:
            return oracle.kangaring(x, order, owner, e);
    }
}

std::vector<std::vector<Bytes>> random_inputs(const Case& c, std::uint64_t elements,
                                              std::mt19937_64& random) {
    std::vector<std::vector<Bytes>> inputs(c.shape.servers);
    for (auto& server : inputs)
        for (std::uint32_t rank = 0; rank < c.shape.ranks; ++rank)
            server.push_back(random_vector(elements, c.dtype, random));
    return inputs;
}

Case random_case(std::mt19937_64& random) {
    constexpr std::array Within{Algorithm::Ring, Algorithm::Mesh, Algorithm::HalvingDoubling,
                                Algorithm::Kangaring};
    constexpr std::array Types{isa::Dtype::Fp32, isa::Dtype::Bf16, isa::Dtype::Fp16, isa::Dtype::U8,
                               isa::Dtype::I16};
    return {{static_cast<std::uint32_t>(2 + random() % 6), static_cast<std::uint32_t>(1 + random() % 6)},
            Within[random() % Within.size()],
            random() % 2 == 0 ? Algorithm::Ring : Algorithm::HalvingDoubling,
            Types[random() % Types.size()],
            random() % 20};
}

TEST(ClusterBits, AllReducesFollowTheOrder) {
    auto random = trnsim::test::generator();
    for (std::uint64_t n = 0; n < 60 * trnsim::test::scale(); ++n) {
        Case c = random_case(random);
        const std::uint64_t part = c.count;
        c.count *= c.shape.ranks;
        const auto inputs = random_inputs(c, c.count, random);
        const auto outputs = all_phases(Operation::AllReduce, c, inputs);
        const ReductionOracle oracle(isa::AluOp::Add, trnsim::test::element_format(c.dtype), false, 0);
        for (std::uint64_t e = 0; e < c.count; ++e) {
            const std::size_t owner = e / part;
            std::vector<std::uint32_t> sums;
            for (const auto& server : inputs) {
                std::vector<std::uint32_t> x;
                x.reserve(server.size());
                for (const Bytes& vector : server) x.push_back(element(vector, e, c.dtype));
                sums.push_back(within(oracle, c, x, owner, e));
            }
            const collectives::Plan plan{.algorithm = c.between};
            const std::uint32_t expected =
                collectives::test::reduced(oracle, plan, true, sums, e % part, part);
            for (const auto& server : outputs)
                for (const Bytes& vector : server)
                    ASSERT_EQ(element(vector, e, c.dtype), expected)
                        << "case " << n << " element " << e << ", " << name(c.within) << " within, "
                        << name(c.between) << " between " << c.shape.servers << " servers of "
                        << c.shape.ranks;
        }
    }
}

// Rank r of server s has chunk s of the elements that rank r has in the phase within the server.
TEST(ClusterBits, ReduceScattersAndAllGathersFollowTheOrder) {
    auto random = trnsim::test::generator();
    for (std::uint64_t n = 0; n < 40 * trnsim::test::scale(); ++n) {
        const Case c = random_case(random);
        const std::uint64_t lane = c.count * c.shape.servers;
        const auto inputs = random_inputs(c, lane * c.shape.ranks, random);
        const auto sums = all_phases(Operation::ReduceScatter, c, inputs);
        const ReductionOracle oracle(isa::AluOp::Add, trnsim::test::element_format(c.dtype), false, 0);
        for (std::uint32_t s = 0; s < c.shape.servers; ++s) {
            for (std::uint32_t r = 0; r < c.shape.ranks; ++r) {
                ASSERT_EQ(sums[s][r].size(), c.count * isa::element_size(c.dtype));
                for (std::uint64_t e = 0; e < c.count; ++e) {
                    const std::uint64_t place = r * lane + s * c.count + e;
                    std::vector<std::uint32_t> of_servers;
                    for (const auto& server : inputs) {
                        std::vector<std::uint32_t> x;
                        x.reserve(server.size());
                        for (const Bytes& vector : server) x.push_back(element(vector, place, c.dtype));
                        of_servers.push_back(within(oracle, c, x, r, place));
                    }
                    const std::uint32_t expected = collectives::test::reduced(
                        oracle, {.algorithm = c.between}, false, of_servers, s * c.count + e, lane);
                    ASSERT_EQ(element(sums[s][r], e, c.dtype), expected) << "case " << n;
                }
            }
        }
        const auto gathered = all_phases(Operation::AllGather, c, sums);
        for (std::uint32_t s = 0; s < c.shape.servers; ++s)
            for (std::uint32_t r = 0; r < c.shape.ranks; ++r)
                for (const auto& server : gathered)
                    for (const Bytes& vector : server)
                        for (std::uint64_t e = 0; e < c.count; ++e)
                            ASSERT_EQ(element(vector, r * lane + s * c.count + e, c.dtype),
                                      element(sums[s][r], e, c.dtype))
                                << "case " << n;
    }
}

TEST(ClusterBits, OthersAreRefused) {
    const auto message = [](Operation operation, std::uint64_t count) -> std::string {
        try {
            phases_of(operation, isa::Dtype::Fp32, count, {3, 4});
        } catch (const Error& error) {
            return error.what();
        }
        return "none";
    };
    EXPECT_EQ(message(Operation::AllReduce, 8), "none");
    EXPECT_EQ(message(Operation::AllReduce, 7),
              "all-reduce: 7 elements, expected a multiple of the 4 ranks of a server");
    EXPECT_EQ(message(Operation::AllToAll, 8),
              "all-to-all of 3 servers, expected all-reduce, all-gather or reduce-scatter");
}

}  // namespace
}  // namespace trnsim::cluster
