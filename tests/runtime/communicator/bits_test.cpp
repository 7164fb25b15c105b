// Compares the results of collectives in the HBM of a simulated server with the schedule executed on host
// memories.
#include <gtest/gtest.h>

#include <random>

#include "common/random.hpp"
#include "compiler/collectives/execute.hpp"
#include "isa/element_type.hpp"
#include "runtime/communicator/communicator.hpp"
#include "runtime/communicator/server_of.hpp"

namespace trnsim::communicator {
namespace {

using collectives::Algorithm;
using collectives::Buffer;
using collectives::Operation;
using collectives::Request;

constexpr std::size_t In = static_cast<std::size_t>(Buffer::Input),
                      Out = static_cast<std::size_t>(Buffer::Output);
constexpr std::uint64_t OutputOffset = 64ULL << 20;

Buffers buffers_of(const Communicator& communicator, std::uint64_t shift) {
    Buffers buffers;
    for (std::uint32_t rank = 0; rank < communicator.ranks(); ++rank) {
        buffers.input.push_back(communicator.region(rank).base + shift);
        buffers.output.push_back(communicator.region(rank).base + OutputOffset + shift);
    }
    return buffers;
}

class Bits {
  public:
    explicit Bits(tlm::LinkedServer& server) : server_(server), random_(test::seed()) {}

    // Runs twice with random inputs and compares.
    void expect(const Request& request, std::optional<Algorithm> algorithm) {
        const std::string text = std::string(name(request.operation)) + " of " +
                                 std::to_string(request.count) + ", " + std::to_string(request.ranks) +
                                 " ranks, type " + std::to_string(static_cast<int>(request.dtype));
        SCOPED_TRACE(text);
        Communicator communicator(server_, first_cores(server_.description(), request.ranks));
        const Buffers buffers = buffers_of(communicator, random_() % 64);
        const auto rounding_seed = static_cast<std::uint32_t>(random_());
        communicator.prepare(request, buffers, {.algorithm = algorithm, .rounding_seed = rounding_seed});
        SCOPED_TRACE(name(communicator.algorithm()));
        for (int i = 0; i < 2; ++i) {
            auto memories = collectives::make_memories(communicator.schedule(), 0xa5);
            for (std::uint32_t rank = 0; rank < request.ranks; ++rank) {
                auto& memory = memories[rank];
                for (const std::size_t buffer : {In, Out}) {
                    if (buffer == In || request.in_place) fill(memory[buffer]);
                    const auto& at = buffer == In ? buffers.input : buffers.output;
                    if (!memory[buffer].empty()) communicator.write(rank, at[rank], memory[buffer]);
                }
            }
            EXPECT_GT(communicator.run(), 0u);
            collectives::execute(communicator.schedule(), memories,
                                 {.rounding_seed = rounding_seed, .order_seed = random_()});
            for (std::uint32_t rank = 0; rank < request.ranks; ++rank) {
                const auto& expected = memories[rank][Out];
                ASSERT_EQ(communicator.read(rank, buffers.output[rank], expected.size()), expected)
                    << "rank " << rank;
            }
        }
    }

  private:
    void fill(std::vector<std::uint8_t>& bytes) {
        for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random_());
    }

    tlm::LinkedServer& server_;
    std::mt19937_64 random_;
};

constexpr std::array Dtypes{isa::Dtype::Fp32, isa::Dtype::Bf16, isa::Dtype::Fp16, isa::Dtype::I32,
                            isa::Dtype::U8};

// Tests every operation with every algorithm.
void every_operation(tlm::LinkedServer& server, std::span<const std::uint32_t> rank_counts) {
    Bits bits(server);
    std::size_t turn = 0;
    for (const std::uint32_t ranks : rank_counts) {
        for (const Operation operation :
             {Operation::AllReduce, Operation::AllGather, Operation::ReduceScatter, Operation::AllToAll,
              Operation::Broadcast, Operation::Permute, Operation::SendReceive}) {
            for (const Algorithm algorithm : collectives::algorithms(operation)) {
                if (algorithm == Algorithm::Hierarchical) continue;  // has its own test
                Request request{.operation = operation,
                                .dtype = Dtypes[turn % Dtypes.size()],
                                .count = 1 + 977 * (turn % 5),
                                .ranks = ranks};
                if (operation == Operation::Permute || operation == Operation::SendReceive) {
                    for (std::uint32_t rank = 0; rank < ranks; ++rank)
                        request.pairs.emplace_back(rank, (rank + ranks / 2 + 1) % ranks);
                    if (operation == Operation::SendReceive) request.pairs.resize(1);
                }
                if (operation == Operation::Broadcast) request.root = ranks - 1;
                request.stochastic = reduces(operation) && turn % 3 == 0;
                request.in_place = operation == Operation::AllReduce && turn % 2 == 0;
                ++turn;
                bits.expect(request, algorithm);
                if (testing::Test::HasFatalFailure()) return;
            }
        }
    }
}

TEST(CommunicatorBits, EveryOperation) {
    tlm::LinkedServer server(tlm::load_server("trn1.32xlarge"),
                             {.check_protocol = true, .collectives = true});
    constexpr std::uint32_t Ranks[] = {2, 3, 8};
    every_operation(server, Ranks);
    for (unsigned chip = 0; chip < 16; ++chip)
        EXPECT_EQ(server.server().chip(chip).protocol_violations(), std::vector<std::string>{});
}

TEST(CommunicatorBits, EveryOperationPerturbed) {
    tlm::LinkedServer server(test::server_of("chips: 3\ntopology: chain 3\n"),
                             {.collectives = true, .perturb = static_cast<std::uint32_t>(test::seed())});
    constexpr std::uint32_t Ranks[] = {2, 5};
    every_operation(server, Ranks);
}

// Tests all-reduces with the published choice of algorithm, on whole rows and on the whole server.
TEST(CommunicatorBits, AllReduceOfManyRanks) {
    tlm::LinkedServer server(tlm::load_server("trn1.32xlarge"), {.collectives = true});
    Bits bits(server);
    for (const std::uint32_t ranks : {16u, 32u}) {
        for (const isa::Dtype dtype : {isa::Dtype::Fp32, isa::Dtype::Bf16}) {
            for (const Algorithm algorithm :
                 {Algorithm::Mesh, Algorithm::HalvingDoubling, Algorithm::Kangaring, Algorithm::Ring})
                bits.expect({.dtype = dtype, .count = 8'193, .ranks = ranks}, algorithm);
        }
    }
}

TEST(CommunicatorBits, HierarchicalAndGroups) {
    tlm::LinkedServer server(tlm::load_server("trn1-8"), {.collectives = true});
    Communicator communicator(server, first_cores(server.description(), 16));
    const Buffers buffers = buffers_of(communicator, 0);
    constexpr std::uint64_t Count = 1'001;
    for (const bool grouped : {false, true}) {
        Request request{.dtype = isa::Dtype::I32, .count = Count, .ranks = 16};
        if (grouped) request.groups = {{0, 5, 15}, {3, 2}};
        communicator.prepare(request, buffers,
                             {.algorithm = grouped ? Algorithm::Ring : Algorithm::Hierarchical, .inner = 4});
        auto memories = collectives::make_memories(communicator.schedule(), 0);
        for (std::uint32_t rank = 0; rank < 16; ++rank) {
            for (std::size_t i = 0; i < memories[rank][In].size(); i += 4)
                memories[rank][In][i] = static_cast<std::uint8_t>(rank + i);
            if (!memories[rank][In].empty())
                communicator.write(rank, buffers.input[rank], memories[rank][In]);
        }
        communicator.run();
        collectives::execute(communicator.schedule(), memories, {});
        for (std::uint32_t rank = 0; rank < 16; ++rank)
            EXPECT_EQ(communicator.read(rank, buffers.output[rank], memories[rank][Out].size()),
                      memories[rank][Out]);
    }
}

TEST(CommunicatorBits, ABarrierEndsWhenAllHaveBegun) {
    tlm::LinkedServer server(tlm::load_server("trn1-4"), {.collectives = true});
    Communicator communicator(server, first_cores(server.description(), 7));
    communicator.prepare({.operation = Operation::Barrier, .ranks = 7}, buffers_of(communicator, 0));
    const Time once = communicator.run();
    EXPECT_GT(once, 3'000'000'000u) << "three rounds of at least the start of a DMA engine";
    EXPECT_EQ(communicator.run(), once) << "as often as one likes";
}

}  // namespace
}  // namespace trnsim::communicator
