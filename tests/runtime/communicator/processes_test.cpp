// Collectives on a server in several processes give the same bits and times as in one, to the femtosecond.
#include <gtest/gtest.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <cerrno>
#include <random>

#include "common/random.hpp"
#include "compiler/collectives/execute.hpp"
#include "model/processes/run.hpp"
#include "model/system/load_server.hpp"
#include "runtime/communicator/communicator.hpp"

namespace trnsim::communicator {
namespace {

using collectives::Algorithm;
using collectives::Buffer;
using collectives::Operation;
using collectives::Request;
using tlm::processes::Exchange;

constexpr std::size_t In = static_cast<std::size_t>(Buffer::Input),
                      Out = static_cast<std::size_t>(Buffer::Output);

struct Case {
    const char* server;
    Request request;
    std::optional<Algorithm> algorithm;
    tlm::perturb::Seed perturb;
};

Buffers buffers_of(const Communicator& communicator) {
    Buffers buffers;
    for (std::uint32_t rank = 0; rank < communicator.ranks(); ++rank) {
        buffers.input.push_back(communicator.region(rank).base + 64 * rank);
        buffers.output.push_back(communicator.region(rank).base + (32ULL << 20));
    }
    return buffers;
}

// Returns the times of two runs, the end of the last one, and how many ranks differ from the host's result.
std::string simulate(const Case& one, Exchange& exchange) {
    tlm::LinkedServer server(tlm::load_server(one.server),
                             {.collectives = true, .perturb = one.perturb, .exchange = &exchange});
    Communicator communicator(server, first_cores(server.description(), one.request.ranks));
    const Buffers buffers = buffers_of(communicator);
    communicator.prepare(one.request, buffers, {.algorithm = one.algorithm, .rounding_seed = 5});
    auto memories = collectives::make_memories(communicator.schedule(), 0);
    std::mt19937_64 random(test::seed());
    for (std::uint32_t rank = 0; rank < one.request.ranks; ++rank) {
        for (std::uint8_t& byte : memories[rank][In]) byte = static_cast<std::uint8_t>(random());
        if (!memories[rank][In].empty()) communicator.write(rank, buffers.input[rank], memories[rank][In]);
    }
    std::string text;
    for (int i = 0; i < 2; ++i) text += std::to_string(communicator.run()) + " ";
    collectives::execute(communicator.schedule(), memories, {.rounding_seed = 5});
    std::uint64_t wrong = 0;
    for (std::uint32_t rank = 0; rank < one.request.ranks; ++rank) {
        const auto& expected = memories[rank][Out];
        if (communicator.here(rank) && !expected.empty())
            wrong += communicator.read(rank, buffers.output[rank], expected.size()) != expected ? 1 : 0;
    }
    return text + std::to_string(tlm::now()) + ", wrong: " + std::to_string(server.sum(wrong));
}

void expect_same(const Case& one, std::initializer_list<unsigned> counts) {
    SCOPED_TRACE(std::string(name(one.request.operation)) + " of " + std::to_string(one.request.count) +
                 ", " + std::to_string(one.request.ranks) + " ranks of " + one.server +
                 (one.algorithm ? " by " + std::string(name(*one.algorithm)) : "") +
                 (one.perturb ? ", perturbed" : ""));
    const std::string expected =
        tlm::processes::run(1, [&](Exchange& exchange) { return simulate(one, exchange); });
    EXPECT_NE(expected.find(", wrong: 0"), std::string::npos) << expected;
    for (const unsigned count : counts) {
        EXPECT_EQ(tlm::processes::run(count, [&](Exchange& exchange) { return simulate(one, exchange); }),
                  expected)
            << count << " processes";
    }
}

TEST(CommunicatorProcesses, EveryAllReduce) {
    for (const Algorithm algorithm :
         {Algorithm::Ring, Algorithm::Mesh, Algorithm::HalvingDoubling, Algorithm::Kangaring}) {
        for (const bool perturbed : {false, true}) {
            Case one{"trn1-4",
                     {.dtype = isa::Dtype::Bf16, .count = 20'011, .ranks = 8, .stochastic = perturbed},
                     algorithm,
                     {}};
            if (perturbed) one.perturb = static_cast<std::uint32_t>(test::seed());
            expect_same(one, {2, 4});
        }
    }
}

TEST(CommunicatorProcesses, EveryOperation) {
    for (const Operation operation : {Operation::AllGather, Operation::ReduceScatter, Operation::AllToAll,
                                      Operation::Broadcast, Operation::Permute, Operation::Barrier}) {
        Request request{.operation = operation, .dtype = isa::Dtype::Fp32, .count = 3'001, .ranks = 7};
        if (operation == Operation::Barrier) request.count = 0;
        if (operation == Operation::Permute) {
            for (std::uint32_t rank = 0; rank < 7; ++rank) request.pairs.emplace_back(rank, (rank + 3) % 7);
        }
        expect_same({"trn1-8", request, {}, {}}, {3});
    }
}

TEST(CommunicatorProcesses, AWholeServer) {
    expect_same(
        {"trn1.32xlarge", {.dtype = isa::Dtype::Bf16, .count = 50'001, .ranks = 32}, Algorithm::Ring, {}},
        {2, 4});
}

// One process is killed at some time of the simulation.
TEST(CommunicatorProcesses, OneThatIsKilledEndsAllWithOneLine) {
    std::string why = "none";
    try {
        tlm::processes::run(4, [](Exchange& exchange) -> std::string {
            tlm::LinkedServer server(tlm::load_server("trn1-4"),
                                     {.collectives = true, .exchange = &exchange});
            Communicator communicator(server, first_cores(server.description(), 8));
            communicator.prepare({.dtype = isa::Dtype::Fp32, .count = 4'096, .ranks = 8},
                                 buffers_of(communicator));
            const itimerval soon{{0, 0}, {0, 300'000}};
            if (exchange.rank() == 3) ::setitimer(ITIMER_REAL, &soon, nullptr);
            while (true) communicator.run();
        });
    } catch (const tlm::processes::Error& error) {
        why = error.what();
    }
    EXPECT_EQ(why, "process 3 of 4: ended by signal 14 (Alarm clock)");
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD) << "no process is left";
}

}  // namespace
}  // namespace trnsim::communicator
