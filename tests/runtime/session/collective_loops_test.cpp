// Compares kernels with collectives in loops on a server with the interpreter of all ranks and with
// arithmetic of the host. SystemC elaborates once, so each server is made in a child process.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "arch/target/target.hpp"
#include "common/random.hpp"
#include "common/temporary_directory.hpp"
#include "model/processes/run.hpp"
#include "model/system/load_server.hpp"
#include "runtime/session/collectives.hpp"
#include "runtime/session/in_a_child.hpp"
#include "runtime/session/script_case.hpp"
#include "runtime/session/session.hpp"
#include "runtime/session/trials_of_ranks.hpp"
#include "testbench/trial/ranks.hpp"

namespace trnsim::runtime {
namespace {

using builder::KernelBuilder;
using builder::TensorView;
using builder::Tile;
using config::CoreKind;
using isa::AluOp;
using isa::Dtype;
using test::in_a_child;
using test::inputs_of;
using test::packages_of;
using test::Written;
using Case = test::ScriptCase;
using Kind = neff::TensorKind;
using Trials = std::vector<trial::Trial>;

config::Server server_of(CoreKind kind = CoreKind::Fast) {
    config::Server server = tlm::load_server("trn1-4");
    server.chip = config::load("small16");
    for (config::SlotKinds& chip : server.slots) chip = {kind, kind};
    return server;
}

// Returns the outputs that differ from the interpreter's, which also looks for races.
std::string compare(Session& session, const Trials& trials, const Results& result, std::uint64_t order = 1) {
    if (result.status != Status::Success)
        return fmt::format("status {}: {}\n", static_cast<int>(result.status), result.message);
    std::vector<addresses::CoreId> cores;
    for (std::uint32_t rank = 0; rank < session.ranks(); ++rank) cores.push_back(session.core(rank));
    const auto expected = trial::interpret_ranks(trials, trial::carry_out_on(session.server(), cores),
                                                 functional::in_order(order));
    std::string text;
    for (std::size_t rank = 0; rank < trials.size(); ++rank) {
        if (!result.ranks[rank].here) continue;
        for (const trial::Difference& difference :
             trial::differences(trials[rank].package, expected[rank], result.ranks[rank].outputs))
            text += fmt::format("rank {}: {}\n", rank, trial::describe(trials[rank].package, difference));
    }
    return text;
}

// Runs random scripts of loads, stores, computation and collectives in and around loops, twice in a row.
void run_random_scripts(const config::Server& server, std::uint64_t first, std::uint64_t count,
                        std::uint32_t ranks, tlm::perturb::Seed perturb = {}) {
    in_a_child([&] {
        Session session(server, ranks, {.perturb = perturb});
        for (std::uint64_t seed = first; seed < first + count; ++seed) {
            const Case one(session.server(), seed, ranks);
            const ModelId model = session.load(packages_of(one.trials));
            std::string text;
            for (unsigned round = 0; round < 2; ++round) {
                const Results result = session.execute_ranks(model, inputs_of(one.trials));
                text += one.compare_with_host(result) + compare(session, one.trials, result, seed);
            }
            if (!text.empty()) return fmt::format("TRNSIM_TEST_SEED={}, {} ranks: {}", seed, ranks, text);
        }
        return std::string();
    });
}

TEST(CollectiveLoops, OnFastCores) {
    for (const std::uint32_t ranks : {1U, 2U, 3U, 5U, 7U})
        run_random_scripts(server_of(), test::seed() + ranks * 100'000, 3 * test::scale(), ranks);
}

TEST(CollectiveLoops, OnVerilatedCores) {
    run_random_scripts(server_of(CoreKind::Rtl), test::seed(), 2 * test::heavy_scale(), 3);
}

TEST(CollectiveLoops, OfPerturbedServers) {
    for (std::uint32_t seed = 0; seed < 3; ++seed)
        run_random_scripts(server_of(), test::seed() + seed * 1000, 3 * test::heavy_scale(), 2 + seed, seed);
    run_random_scripts(server_of(CoreKind::Rtl), test::seed(), test::heavy_scale(), 2, 11);
}

TEST(CollectiveLoops, InSeveralProcessesTheSameBitsAndTimes) {
    constexpr std::uint32_t Ranks = 5;
    const config::Server server = server_of();
    for (const tlm::perturb::Seed perturb : {tlm::perturb::Seed{}, tlm::perturb::Seed{7}}) {
        for (std::uint64_t seed = test::seed(); seed < test::seed() + 2 * test::heavy_scale(); ++seed) {
            const Case one(server, seed, Ranks);
            std::string first;
            for (const unsigned count : {1U, 2U, 3U}) {
                const std::string text = tlm::processes::run(count, [&](tlm::processes::Exchange& exchange) {
                    Session session(server, Ranks, {.perturb = perturb, .exchange = &exchange});
                    ModelId model = session.load(packages_of(one.trials));
                    const Results result = session.execute_ranks(model, inputs_of(one.trials));
                    std::string wrong;
                    for (const std::string& other :
                         session.texts(one.compare_with_host(result) + compare(session, one.trials, result)))
                        wrong += other;
                    return fmt::format("{} fs, wrong: {}", result.time, wrong);
                });
                if (first.empty()) first = text;
                EXPECT_EQ(text, first) << count << " processes, TRNSIM_TEST_SEED=" << seed;
            }
            EXPECT_TRUE(first.ends_with("wrong: ")) << first;
        }
    }
}

// A training step, piece by piece: gradients are summed over all ranks and subtracted from the weights in
// each iteration, with two tiles in turn. An all-reduce of everything comes before the loop and another after
// it.
struct Step {
    std::uint32_t ranks = 4, iterations = 6, columns = 16;
    Written written = Written::AsLoop;
    bool reads_wait = true;  // reads wait for what they read
};

neff::Package step_kernel(const config::Config& config, const Step& step) {
    constexpr std::uint32_t Rows = 16, Tiles = 2;
    KernelBuilder k("step", "", target::of(config));
    if (!step.reads_wait) k.dependences().leave_out(builder::Dependences::Kind::ReadAfterWrite);
    const std::uint64_t rows = std::uint64_t{Rows} * Tiles * step.iterations;
    const auto tensor = [&](const char* name, Kind kind, std::uint64_t count) {
        return k.tensor(name, kind, Dtype::Fp32, {count, step.columns});
    };
    const TensorView g = tensor("g", Kind::Input, rows), w = tensor("w", Kind::Update, rows);
    const TensorView before = tensor("before", Kind::Scratch, rows),
                     sums = tensor("sums", Kind::Scratch, rows);
    const TensorView behind = tensor("behind", Kind::Output, rows);
    const auto loads = k.queue("loads"), stores = k.queue("stores", isa::Engine::Scalar);
    const auto meets = k.queue("meets", isa::Engine::Gpsimd);
    const Tile weights = k.sbuf(Rows, Dtype::Fp32, {Tiles, step.columns}),
               sum = k.sbuf(Rows, Dtype::Fp32, {Tiles, step.columns});
    const auto add_up = [&](const TensorView& output, const TensorView& input) {
        k.collective(meets, output, input,
                     {{.count = input.axes[0].count * step.columns, .ranks = step.ranks}});
    };
    add_up(before, g);
    test::repeat(k, step.written, step.iterations, [&](auto i) {
        for (std::uint32_t tile = 0; tile < Tiles; ++tile) {
            const auto first = i * (Tiles * Rows) + tile * Rows;
            const TensorView total = sums.slice(0, first, Rows);
            add_up(total, before.slice(0, first, Rows));
            k.load(loads, weights.at(0, tile), w.slice(0, first, Rows));
            k.load(loads, sum.at(0, tile), total);
            k.tensor_tensor(weights.at(0, tile), weights.at(0, tile), AluOp::Subtract, sum.at(0, tile));
            k.store(stores, w.slice(0, first, Rows), weights.at(0, tile));
        }
    });
    add_up(behind, w);
    return k.finish();
}

Trials step_trials(const config::Config& config, const Step& step) {
    Trials trials;
    const neff::Package package = step_kernel(config, step);
    auto random = test::generator();
    for (std::uint32_t rank = 0; rank < step.ranks; ++rank) {
        trial::Trial& trial = trials.emplace_back(trial::Trial{config, package, {}});
        for (const neff::Tensor& tensor : package.tensors) {
            if (!neff::is_input(tensor.kind)) continue;
            std::vector<int> values(tensor.shape[0] * tensor.shape[1]);
            for (int& value : values) value = static_cast<int>(random() % 100) - 50;
            trial.inputs.emplace(tensor.name, test::script_bytes(values, tensor.dtype));
        }
    }
    return trials;
}

// Compares with the host's results: the gradients are summed twice, and the weights once more after the loop.
std::string compare_step(const Trials& trials, const Results& result) {
    if (!result.done()) return result.message + "\n";
    const auto ranks = static_cast<int>(trials.size());
    const auto of = [&](int rank, const char* name) {
        return test::script_values(trials[static_cast<std::size_t>(rank)].inputs.at(name), Dtype::Fp32);
    };
    std::vector<int> sum(of(0, "g").size()), all(sum.size());
    for (int rank = 0; rank < ranks; ++rank) {
        const std::vector<int> g = of(rank, "g");
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += g[i];
    }
    std::vector<std::vector<int>> weights;
    for (int rank = 0; rank < ranks; ++rank) {
        std::vector<int>& w = weights.emplace_back(of(rank, "w"));
        for (std::size_t i = 0; i < sum.size(); ++i) all[i] += w[i] -= ranks * sum[i];
    }
    for (std::size_t rank = 0; rank < trials.size(); ++rank) {
        const auto got = [&](const char* name) {
            const auto& tensors = trials[rank].package.tensors;
            return test::script_values(
                loader::to_device(*std::ranges::find(tensors, name, &neff::Tensor::name),
                                  result.ranks[rank].outputs.at(name)),
                Dtype::Fp32);
        };
        if (got("w") != weights[rank] || got("behind") != all)
            return fmt::format("rank {}: not what the host computes\n", rank);
    }
    return "";
}

TEST(CollectiveLoops, StepsOverlapAndGiveWhatTheHostComputes) {
    in_a_child([] {
        const Step loop;
        Session session(server_of(), loop.ranks);
        std::string text;
        std::uint64_t times[2];
        for (const Written written : {Written::AsLoop, Written::Unrolled}) {
            Step step = loop;
            step.written = written;
            const Trials trials = step_trials(session.server().chip, step);
            const ModelId model = session.load(packages_of(trials));
            const Results result = session.execute_ranks(model, inputs_of(trials));
            text += compare_step(trials, result) + compare(session, trials, result);
            times[written == Written::AsLoop ? 0 : 1] = result.time;
        }
        // At most two iterations overlap in the loop; unrolled, all of them may.
        if (times[0] > 3 * times[1])
            text += fmt::format("{} fs, one after the other {} fs\n", times[0], times[1]);
        return text;
    });
}

// Rank 0 has a loop; the others have one too or begin all collectives at once: scratch memory of rank 0 must
// stay while they still read it.
TEST(CollectiveLoops, BesideRanksThatRunAhead) {
    constexpr std::uint32_t Ranks = 4, Iterations = 12, Count = 3000;
    for (std::uint32_t seed = 0; seed < 6; ++seed) {
        in_a_child([&] {
            Session session(server_of(), Ranks, {.perturb = seed});
            const Written others = seed < 4 ? Written::Unrolled : Written::AsLoop;
            std::vector<std::shared_ptr<const neff::Package>> packages;
            std::vector<Arrays> inputs(Ranks);
            std::vector<int> sums(std::size_t{Iterations} * Ranks * Count);
            auto random = test::generator();
            for (std::uint32_t rank = 0; rank < Ranks; ++rank) {
                KernelBuilder k("ahead", "", target::of(session.server().chip));
                const TensorView x = k.tensor("x", Kind::Input, Dtype::Fp32, {Iterations, Ranks * Count});
                const TensorView y = k.tensor("y", Kind::Output, Dtype::Fp32, {Iterations, Count});
                const auto meets = k.queue("meets", isa::Engine::Gpsimd);
                test::repeat(k, rank == 0 ? Written::AsLoop : others, Iterations, [&](auto i) {
                    k.collective(
                        meets, y.slice(0, i, 1), x.slice(0, i, 1),
                        {{.operation = collectives::Operation::ReduceScatter, .count = Count, .ranks = Ranks},
                         collectives::Algorithm::Ring});
                });
                packages.push_back(std::make_shared<const neff::Package>(k.finish()));
                std::vector<int> values(sums.size());
                for (std::size_t i = 0; i < sums.size(); ++i)
                    sums[i] += values[i] = static_cast<int>(random() % 1000);
                const neff::Tensor& tensor = packages.back()->tensors[0];
                inputs[rank].emplace("x",
                                     loader::from_device(tensor, test::script_bytes(values, Dtype::Fp32)));
            }
            const ModelId model = session.load(packages);
            const Results result = session.execute_ranks(model, inputs);
            std::string text = result.message;
            for (std::uint32_t rank = 0; rank < Ranks && result.done(); ++rank) {
                const auto y = test::script_values(
                    loader::to_device(packages[rank]->tensors[1], result.ranks[rank].outputs.at("y")),
                    Dtype::Fp32);
                for (std::size_t i = 0; i < Iterations; ++i) {
                    const auto own = sums.begin() + static_cast<std::ptrdiff_t>((i * Ranks + rank) * Count);
                    if (!std::equal(own, own + Count, y.begin() + static_cast<std::ptrdiff_t>(i * Count)))
                        text += fmt::format("rank {}, iteration {}: not the sums\n", rank, i);
                }
            }
            return text;
        });
    }
}

// A call is reported once, however often it is executed; two hundred iterations are prepared as fast as they
// run.
TEST(CollectiveLoops, AreOneCallOfManyIterations) {
    in_a_child([] {
        const Step step{.ranks = 4, .iterations = 200};
        Session session(server_of(), step.ranks);
        const Trials trials = step_trials(session.server().chip, step);
        const ModelId model = session.load(packages_of(trials));
        const Results result = session.execute_ranks(model, inputs_of(trials));
        std::string text = compare_step(trials, result);
        std::string times;
        for (const Collectives::Call& call : session.collectives(model).calls())
            times += fmt::format("{} {}; ", session.collectives(model).transfer(call).name, call.times);
        if (times !=
            "all-reduce before[6400, 16] 1; all-reduce sums[16, 16] 200; all-reduce sums[16, 16] 200; "
            "all-reduce behind[6400, 16] 1; ")
            text += times;
        return text;
    });
}

// A message about the server's limits names the line of the kernel; one about a difference between ranks
// names the rank.
TEST(CollectiveLoops, WhatDoesNotFitIsOneLine) {
    in_a_child([] {
        constexpr std::uint32_t Ranks = 2;
        config::Server server = server_of();
        server.chip.hbm.capacity = std::uint64_t{8} << 20;
        Session session(server, Ranks);
        KernelBuilder k("large", "", target::of(server.chip));
        const TensorView x = k.tensor("x", Kind::Input, Dtype::Fp32, {1024});
        const TensorView y = k.tensor("y", Kind::Output, Dtype::Fp32, {1024});
        const auto meets = k.queue("meets", isa::Engine::Gpsimd);
        std::uint32_t line = 0;
        k.loop(60'000, [&](builder::LoopIndex) {
            line = __LINE__ + 1;
            k.collective(meets, y, x, {{.count = 1024, .ranks = Ranks}});
        });
        const auto package = std::make_shared<const neff::Package>(k.finish());
        const auto steps = [&](std::uint32_t iterations) {
            return std::make_shared<const neff::Package>(
                step_kernel(server.chip, {.ranks = Ranks, .iterations = iterations}));
        };
        const std::string apart = test::message_of<std::runtime_error>([&] {
            session.load(std::vector<std::shared_ptr<const neff::Package>>{steps(4), steps(5)});
        });
        if (apart != "rank 1: 12 collectives, expected 10 as rank 0 has") return apart;
        const std::string error = test::message_of<std::runtime_error>([&] { session.load(package); });
        const std::string expected =
            fmt::format("{}: collective 'all-reduce y[1024]', iteration ", neff::place_name(__FILE__, line));
        return error.starts_with(expected) && error.find('\n') == std::string::npos ? "" : error;
    });
}

// A fault in one rank's kernel shows in the results or in how the run ends.
TEST(CollectiveLoops, WrongIterationsAreNoticed) {
    in_a_child([] {
        const Step step{.ranks = 3};
        Session session(server_of(), step.ranks);
        ModelId model{};
        const Trials sound = step_trials(session.server().chip, step);
        std::string text;
        const auto run = [&](const std::function<void(neff::Package&)>& damage) {
            Trials trials = sound;
            damage(trials[1].package);
            model = session.load(packages_of(trials));
            return session.execute_ranks(model, inputs_of(trials));
        };
        const Results stepped = run([](neff::Package& package) {
            for (neff::Transfer& transfer : package.transfers)
                if (transfer.collective && transfer.loop) transfer.from.iteration_step[0] -= 64;
        });
        if (!stepped.done() || compare_step(sound, stepped).empty())
            text += "a wrong step: " + stepped.message + "\n";
        const Results less = run([](neff::Package& package) {
            auto& program = package.programs[static_cast<std::size_t>(isa::Engine::Gpsimd)];
            const auto counter =
                std::ranges::find(program, isa::Opcode::RegisterAlu, &isa::Instruction::opcode);
            counter->set(isa::field::Data, counter->get(isa::field::Data) - 1);
        });
        if (less.status != Status::Timeout || less.message.find("hang: ") != 0)
            text += fmt::format("an iteration less: status {}: {}\n", static_cast<int>(less.status),
                                less.message);
        const Results early = run([&](neff::Package& package) {
            Step unordered = step;
            unordered.reads_wait = false;
            package = step_kernel(session.server().chip, unordered);
        });
        if (early.done() && compare_step(sound, early).empty())
            text += "no waits of reads: nothing is wrong\n";
        model = session.load(packages_of(sound));
        return text + compare_step(sound, session.execute_ranks(model, inputs_of(sound)));
    });
}

}  // namespace
}  // namespace trnsim::runtime
