// Compares kernels with collectives on a server with the interpreter of all ranks and with sums of the host.
// SystemC elaborates once, so each server is made in a child process.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "common/random.hpp"
#include "common/temporary_directory.hpp"
#include "compiler/collectives/generate.hpp"
#include "model/processes/run.hpp"
#include "model/system/load_server.hpp"
#include "runtime/session/in_a_child.hpp"
#include "runtime/session/meeting_kernel.hpp"
#include "runtime/session/session.hpp"
#include "runtime/session/trials_of_ranks.hpp"
#include "testbench/trial/ranks.hpp"

namespace trnsim::runtime {
namespace {

using collectives::Algorithm;
using collectives::Operation;
using collectives::Request;
using config::CoreKind;
using isa::Dtype;
using test::in_a_child;
using test::inputs_of;
using test::packages_of;
using Shape = test::Meeting;

config::Server server_of(CoreKind first = CoreKind::Fast, CoreKind second = CoreKind::Fast) {
    config::Server server = tlm::load_server("trn1-4");
    server.chip = config::load("small16");
    for (config::SlotKinds& chip : server.slots) chip = {first, second};
    return server;
}

class Random {
  public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}
    std::uint64_t below(std::uint64_t end) { return engine_() % end; }

  private:
    std::mt19937_64 engine_;
};

std::vector<trial::Trial> trials_of(const config::Config& config, unsigned ranks,
                                    const std::function<Shape(unsigned rank)>& shape) {
    std::vector<trial::Trial> trials;
    for (unsigned rank = 0; rank < ranks; ++rank)
        trials.push_back(
            trial::make_trial(config, test::meeting_kernel(config, shape(rank)), test::seed() + rank));
    return trials;
}

std::vector<addresses::CoreId> cores_of(const Session& session) {
    std::vector<addresses::CoreId> cores;
    for (std::uint32_t rank = 0; rank < session.ranks(); ++rank) cores.push_back(session.core(rank));
    return cores;
}

// Runs the kernels and returns what is wrong; empty if nothing is.
std::string wrong(Session& session, ModelId model, const std::vector<trial::Trial>& trials,
                  const runtime::Run& options = {}, std::uint64_t order = 0) {
    const Results result = session.execute_ranks(model, inputs_of(trials), options);
    if (result.status != Status::Success)
        return fmt::format("status {}: {}", static_cast<int>(result.status), result.message);
    const auto expected = trial::interpret_ranks(
        trials, trial::carry_out_on(session.server(), cores_of(session), options.rounding.seed),
        functional::in_order(order, {options.rounding.stochastic, options.rounding.seed}));
    std::string text;
    for (std::size_t rank = 0; rank < trials.size(); ++rank) {
        const neff::Package& package = trials[rank].package;
        for (const trial::Difference& difference :
             trial::differences(package, expected[rank], result.ranks[rank].outputs))
            text += fmt::format("rank {}: {}\n", rank, trial::describe(package, difference));
    }
    return text;
}

Request request_of(Operation operation, std::uint64_t count, std::uint32_t ranks, Dtype dtype = Dtype::Fp32) {
    return {.operation = operation, .dtype = dtype, .count = count, .ranks = ranks};
}

// Tests every operation of kernels with random types, sizes and algorithms, several of them in one kernel.
TEST(KernelCollectives, GiveTheBitsOfTheInterpreter) {
    for (const unsigned ranks : {1U, 2U, 3U, 5U, 8U}) {
        in_a_child([ranks] {
            Session session(server_of(), ranks);
            std::string text;
            Random random(test::seed() + ranks);
            for (unsigned round = 0; round < 4; ++round) {
                constexpr std::array Operations{Operation::AllReduce,     Operation::AllGather,
                                                Operation::ReduceScatter, Operation::AllToAll,
                                                Operation::Broadcast,     Operation::Barrier};
                constexpr std::array Types{Dtype::Fp32, Dtype::Bf16, Dtype::Fp16, Dtype::U8};
                const Dtype dtype = Types[random.below(Types.size())];
                Shape shape;
                for (unsigned i = 0; i < 3; ++i) {
                    const Operation operation =
                        Operations[random.below(Operations.size() - (dtype == Dtype::U8 ? 0 : 1))];
                    Request request = request_of(operation, 1 + random.below(300), ranks, dtype);
                    request.root = static_cast<std::uint32_t>(random.below(ranks));
                    request.reduction = static_cast<collectives::Reduction>(random.below(4));
                    request.stochastic = collectives::reduces(operation) && random.below(2) == 0;
                    const auto known = collectives::algorithms(operation);
                    neff::Collective one{request, known[random.below(known.size())], 0};
                    if (one.algorithm == Algorithm::Hierarchical) one.inner = ranks;
                    if (ranks == 1 || random.below(4) == 0) one.algorithm.reset();
                    shape.collectives.push_back(one);
                }
                const auto trials = trials_of(session.server().chip, ranks, [&](unsigned rank) {
                    Shape own = shape;
                    own.delay = static_cast<unsigned>((rank * 7 + round) % 5 * 40);
                    return own;
                });
                const ModelId model = session.load(packages_of(trials));
                const runtime::Run options{.rounding = {round % 2 == 1, 77 + round}};
                text += wrong(session, model, trials, options, round);
                text += wrong(session, model, trials, options, round);  // again, with the same schedules
                if (!text.empty()) return fmt::format("{} ranks, round {}: {}", ranks, round, text);
            }
            return text;
        });
    }
}

// The values are whole numbers, so that every order gives the same sums; loops of the host alone compute
// them.
TEST(KernelCollectives, GiveTheSumsOfTheHost) {
    in_a_child([] {
        constexpr unsigned Ranks = 6;
        constexpr std::uint64_t Count = 1037;
        Session session(server_of(), Ranks);
        const Shape shape{.collectives = {{request_of(Operation::AllReduce, Count, Ranks)},
                                          {request_of(Operation::ReduceScatter, Count, Ranks)},
                                          {request_of(Operation::AllGather, Count, Ranks)}}};
        auto trials = trials_of(session.server().chip, Ranks, [&](unsigned) { return shape; });
        Random random(test::seed());
        for (trial::Trial& trial : trials) {
            for (auto& [name, bytes] : trial.inputs) {
                for (std::size_t at = 0; at < bytes.size(); at += sizeof(float)) {
                    const auto value = static_cast<float>(static_cast<int>(random.below(2001)) - 1000);
                    std::memcpy(bytes.data() + at, &value, sizeof value);
                }
            }
        }
        const ModelId model = session.load(packages_of(trials));
        const Results result = session.execute_ranks(model, inputs_of(trials));
        if (!result.done()) return result.message;
        const auto at = [](const std::vector<std::uint8_t>& bytes, std::size_t element) {
            float value = 0;
            std::memcpy(&value, bytes.data() + element * sizeof value, sizeof value);
            return value;
        };
        const auto sum = [&](const std::string& name, std::size_t element) {
            float all = 0;
            for (const trial::Trial& trial : trials) all += at(trial.inputs.at(name), element);
            return all;
        };
        std::string text;
        for (std::size_t rank = 0; rank < Ranks; ++rank) {
            const Arrays& outputs = result.ranks[rank].outputs;
            for (std::size_t i = 0; i < Count && text.empty(); ++i) {
                if (at(outputs.at("y0").data, i) != sum("x0", i) ||
                    at(outputs.at("y1").data, i) != sum("x1", rank * Count + i))
                    text = fmt::format("rank {}: sum {}\n", rank, i);
                for (std::size_t other = 0; other < Ranks; ++other) {
                    if (at(outputs.at("y2").data, other * Count + i) != at(trials[other].inputs.at("x2"), i))
                        text = fmt::format("rank {}: element {} of {}\n", rank, i, other);
                }
            }
        }
        return text;
    });
}

// Work that a stopped execution leaves under way does not reach later executions.
TEST(KernelCollectives, CanBeStopped) {
    in_a_child([] {
        constexpr unsigned Ranks = 3;
        Session session(server_of(), Ranks);
        ModelId model{};
        const auto trials_after = [&](unsigned delay) {
            return trials_of(session.server().chip, Ranks, [&](unsigned rank) {
                return Shape{.collectives = {{request_of(Operation::AllReduce, 200, Ranks)}},
                             .delay = delay * (rank + 1)};
            });
        };
        const auto quick = trials_after(3), slow = trials_after(50'000);
        model = session.load(packages_of(quick));
        const std::uint64_t time = session.execute_ranks(model, inputs_of(quick)).time;
        model = session.load(packages_of(slow));
        std::vector<Progress> told;
        runtime::Run options;
        options.progress = [&told](const Progress& progress) {
            told.push_back(progress);
            return told.size() < 2;
        };
        const Results stopped = session.execute_ranks(model, inputs_of(slow), options);
        if (stopped.outcome != tlm::Outcome::TimeLimit || stopped.status != Status::Failure ||
            stopped.message != "stopped before the end")
            return fmt::format("status {}: {}", static_cast<int>(stopped.status), stopped.message);
        if (told.size() != 2) return fmt::format("{} calls", told.size());
        const Progress &first = told[0], &second = told[1];
        if (first.completed == 0 || second.completed <= first.completed || second.completed > second.total ||
            second.cycles <= first.cycles || second.wall_seconds < first.wall_seconds + ProgressSeconds ||
            second.total < std::uint64_t{3} * (1 + 2 + 3) * 50'000)
            return fmt::format("{} and {} of {} instructions, {} and {} cycles", first.completed,
                               second.completed, second.total, first.cycles, second.cycles);
        model = session.load(packages_of(quick));
        if (session.execute_ranks(model, inputs_of(quick)).time != time) return std::string("another time");
        return wrong(session, model, quick);
    });
}

TEST(KernelCollectives, InGroupsInPlaceAndBetweenSomeRanks) {
    in_a_child([] {
        constexpr unsigned Ranks = 8;
        Session session(server_of(), Ranks);
        ModelId model{};
        Request grouped = request_of(Operation::AllReduce, 333, Ranks);
        grouped.groups = {{0, 3, 5}, {7, 1, 4}};  // 2 and 6 take no part
        Request whole = request_of(Operation::AllReduce, 500, Ranks);
        const Shape in_place{.collectives = {{whole, Algorithm::Ring}, {whole, Algorithm::Mesh}, {whole}},
                             .in_place = true};
        const Shape groups{.collectives = {{grouped, Algorithm::Ring}}, .in_place = true};
        std::string text;
        for (const Shape& shape : {in_place, groups}) {
            const auto trials = trials_of(session.server().chip, Ranks, [&](unsigned) { return shape; });
            model = session.load(packages_of(trials));
            text += wrong(session, model, trials);
        }
        Request pairs = request_of(Operation::Permute, 91, Ranks);
        for (std::uint32_t rank = 0; rank < Ranks; ++rank) pairs.pairs.emplace_back(rank, (rank + 3) % Ranks);
        const auto trials = trials_of(session.server().chip, Ranks, [&](unsigned) {
            return Shape{.collectives = {{pairs}, {pairs}}};
        });
        model = session.load(packages_of(trials));
        return text + wrong(session, model, trials);
    });
}

TEST(KernelCollectives, OnVerilatedCoresBesideAFastOne) {
    in_a_child([] {
        config::Server server = server_of();
        server.slots[0][1] = server.slots[1][0] = server.slots[1][1] = CoreKind::Rtl;
        constexpr unsigned Ranks = 4;
        Session session(server, Ranks);
        const Shape shape{.collectives = {{request_of(Operation::AllReduce, 700, Ranks, Dtype::Bf16)},
                                          {request_of(Operation::AllGather, 100, Ranks, Dtype::Bf16)}}};
        const auto trials = trials_of(session.server().chip, Ranks, [&](unsigned) { return shape; });
        const ModelId model = session.load(packages_of(trials));
        return wrong(session, model, trials);
    });
}

TEST(KernelCollectives, InSeveralProcessesTheSameBitsAndTimes) {
    constexpr unsigned Ranks = 7;
    const config::Server server = server_of();
    Request groups = request_of(Operation::AllReduce, 1200, Ranks);
    groups.groups = {{0, 6, 3}, {5, 1, 2}};
    const Shape shape{.collectives = {{request_of(Operation::AllReduce, 900, Ranks)},
                                      {groups, Algorithm::Ring},
                                      {request_of(Operation::AllToAll, 50, Ranks)}},
                      .in_place = true};  // a rank of no group still has something to read
    const auto trials = trials_of(server.chip, Ranks, [&](unsigned rank) {
        Shape own = shape;
        own.delay = rank * 30;
        return own;
    });
    std::string first;
    for (const unsigned count : {1U, 2U, 4U}) {
        const std::string text = tlm::processes::run(count, [&](tlm::processes::Exchange& exchange) {
            Session session(server, Ranks, {.exchange = &exchange});
            ModelId model = session.load(packages_of(trials));
            const Results result = session.execute_ranks(model, inputs_of(trials));
            const auto expected =
                trial::interpret_ranks(trials, trial::carry_out_on(session.server(), cores_of(session)));
            std::string own = result.message;
            unsigned here = 0;
            for (std::size_t rank = 0; rank < Ranks && result.done(); ++rank) {
                if (!result.ranks[rank].here) continue;
                ++here;
                for (const trial::Difference& difference :
                     trial::differences(trials[rank].package, expected[rank], result.ranks[rank].outputs))
                    own += trial::describe(trials[rank].package, difference);
            }
            unsigned all = 0;
            for (const std::string& other : session.texts(fmt::format("{} {}", here, own))) {
                all += static_cast<unsigned>(std::stoul(other));
                own += other.substr(other.find(' ') + 1);
            }
            return fmt::format("{} fs, {} ranks, wrong: {}", result.time, all, own);
        });
        if (first.empty()) first = text;
        EXPECT_EQ(text, first) << count << " processes";
    }
    EXPECT_NE(first.find(" fs, 7 ranks, wrong: "), std::string::npos) << first;
    EXPECT_TRUE(first.ends_with("wrong: ")) << first;
}

// The counter-test: without waits a collective reads and writes too early, in the interpreter and on the
// server.
TEST(KernelCollectives, MissingWaitsAreNoticed) {
    in_a_child([] {
        constexpr unsigned Ranks = 3;
        Session session(server_of(), Ranks);
        ModelId model{};
        const Shape shape{.collectives = {{request_of(Operation::AllReduce, 900, Ranks)}},
                          .delay = 20,
                          .waits = builder::Waits::Explicit};
        const auto trials = trials_of(session.server().chip, Ranks, [&](unsigned) { return shape; });
        model = session.load(packages_of(trials));
        const Results result = session.execute_ranks(model, inputs_of(trials));
        const Shape sound{.collectives = shape.collectives, .delay = 20};
        const auto good = trials_of(session.server().chip, Ranks, [&](unsigned) { return sound; });
        model = session.load(packages_of(good));
        const Results expected = session.execute_ranks(model, inputs_of(good));
        std::string text;
        if (!result.done() || !expected.done()) text += "not done\n";
        if (result.ranks[0].outputs.at("y0").data == expected.ranks[0].outputs.at("y0").data)
            text += "no wait, and the right result\n";
        const std::string found = test::message_of<std::runtime_error>([&] {
            trial::interpret_ranks(trials, trial::carry_out_on(session.server(), cores_of(session)));
        });
        if (found.find("rank 0: ") != 0) text += "the interpreter: " + found + "\n";
        return text;
    });
}

TEST(KernelCollectives, ARankThatNeverComesIsAHangThatSaysSo) {
    in_a_child([] {
        constexpr unsigned Ranks = 3;
        Session session(server_of(), Ranks);
        ModelId model{};
        const Shape shape{.collectives = {{request_of(Operation::AllReduce, 40, Ranks)}}};
        auto trials = trials_of(session.server().chip, Ranks, [&](unsigned) { return shape; });
        // Rank 1 waits before its trigger for a semaphore that nothing increments.
        auto& program = trials[1].package.programs[static_cast<std::size_t>(isa::Engine::Gpsimd)];
        isa::Instruction wait(isa::Opcode::EventSemaphore);
        wait.set(isa::field::WaitMode, isa::WaitMode::Ge)
            .set(isa::field::WaitSem, 255)
            .set(isa::field::WaitValue, 1);
        program.insert(program.begin(), wait);
        auto& places = trials[1].package.sources.of[static_cast<std::size_t>(isa::Engine::Gpsimd)];
        places.insert(places.begin(), neff::Sources::None);
        model = session.load(packages_of(trials));
        const Results result = session.execute_ranks(model, inputs_of(trials));
        std::string text;
        if (result.status != Status::Timeout || result.message.find("hang: ") != 0 ||
            result.message.find("collective core 3, channel ") == std::string::npos ||
            result.message.find("flag 0 is 2 of 3") == std::string::npos)
            text += fmt::format("status {}: {}\n", static_cast<int>(result.status), result.message);
        const std::string found = test::message_of<std::runtime_error>([&] {
            trial::interpret_ranks(trials, trial::carry_out_on(session.server(), cores_of(session)));
        });
        if (found.find("rank 0: deadlock: ") != 0) text += "the interpreter: " + found + "\n";
        // The session is still usable.
        const auto good = trials_of(session.server().chip, Ranks, [&](unsigned) { return shape; });
        model = session.load(packages_of(good));
        return text + wrong(session, model, good);
    });
}

// The packets that tell that a rank has begun are in the queue of its kernel, and have no path to the other
// chips.
TEST(KernelCollectives, AChipThatCannotBeReachedIsOneLine) {
    in_a_child([] {
        constexpr unsigned Ranks = 8;
        const std::vector<std::string> settings{"topology=[[0, 1], [2, 3]]"};
        config::Server server = tlm::load_server("trn1-4", settings);
        server.chip = config::load("small16");
        for (config::SlotKinds& chip : server.slots) chip = {CoreKind::Fast, CoreKind::Fast};
        Session session(server, Ranks);
        ModelId model{};
        const auto trials_with = [&](const Request& request) {
            return trials_of(session.server().chip, Ranks, [&](unsigned) {
                return Shape{.collectives = {{request, Algorithm::Ring}}, .in_place = true};
            });
        };
        const auto all = trials_with(request_of(Operation::AllReduce, 300, Ranks));
        std::string text;
        for (unsigned round = 0; round < 2; ++round) {
            model = session.load(packages_of(all));
            const Results result = session.execute_ranks(model, inputs_of(all));
            if (result.status != Status::ExecCollectives || result.message.find("rank ") != 0 ||
                result.message.find(", queue 'meets', transfer 'all-reduce ") == std::string::npos ||
                result.message.find(" other ranks stopped as well; links: chip ") == std::string::npos ||
                result.message.find(" cannot be reached: ") == std::string::npos ||
                result.message.find('\n') != std::string::npos)
                text += fmt::format("status {}: {}\n", static_cast<int>(result.status), result.message);
            // The session is still usable, and the earlier loss is not reported as the reason of a later
            // failure.
            Request near = request_of(Operation::AllReduce, 300, Ranks);
            near.groups = {{0, 1, 2, 3}, {4, 5, 6, 7}};
            const auto good = trials_with(near);
            model = session.load(packages_of(good));
            text += wrong(session, model, good);
            const Results late = session.execute_ranks(model, inputs_of(good), {.max_time = 1'000'000});
            if (late.status != Status::Timeout || late.message.find("links") != std::string::npos)
                text += fmt::format("status {}: {}\n", static_cast<int>(late.status), late.message);
        }
        return text;
    });
}

TEST(KernelCollectives, KernelsThatDoNotGoTogetherAreRefused) {
    in_a_child([] {
        constexpr unsigned Ranks = 2;
        Session session(server_of(), Ranks);
        const config::Config& config = session.server().chip;
        const auto load = [&](const Shape& first, const Shape& second) {
            const auto trials =
                trials_of(config, Ranks, [&](unsigned rank) { return rank == 0 ? first : second; });
            return test::message_of<std::runtime_error>([&] { session.load(packages_of(trials)); });
        };
        const Shape one{.collectives = {{request_of(Operation::AllReduce, 40, Ranks)}}};
        const Shape two{.collectives = {one.collectives[0], one.collectives[0]}};
        const Shape other{.collectives = {{request_of(Operation::AllReduce, 41, Ranks)}}};
        const Shape more{.collectives = {{request_of(Operation::AllReduce, 40, 3)}}};
        std::string text;
        const auto expect = [&](const std::string& got, const std::string& expected) {
            if (got != expected) text += fmt::format("'{}', expected '{}'\n", got, expected);
        };
        expect(load(one, two), "rank 1: 2 collectives, expected 1 as rank 0 has");
        expect(load(one, other),
               "rank 1: collective 0, 'all-reduce t[41]' of fp32, is not the one that rank 0 has, "
               "'all-reduce t[40]' of fp32");
        expect(load(more, more), "rank 0: collective 0, 'all-reduce t[40]', is one of 3 ranks, expected 2");
        return text;
    });
}

}  // namespace
}  // namespace trnsim::runtime
