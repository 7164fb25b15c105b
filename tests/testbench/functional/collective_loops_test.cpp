// Tests collectives in loops of the builder: in every order they give the results that the host computes call
// by call on all ranks; every one of their waits is needed; missing, additional and misplaced iterations are
// noticed.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <functional>

#include "common/random.hpp"
#include "common/rank_reference.hpp"
#include "common/waits.hpp"
#include "compiler/kernels/targets.hpp"
#include "isa/disassembler.hpp"
#include "testbench/functional/ranks.hpp"

namespace trnsim::functional {
namespace {

using builder::Dependences;
using builder::KernelBuilder;
using builder::TensorView;
using builder::Tile;
using isa::AluOp;
using isa::Dtype;
using isa::Opcode;
using neff::TensorKind;
using test::RandomScript;
using test::RankScript;
using test::ScriptKernel;
using test::ScriptValues;
using test::Written;

std::vector<std::optional<Bytes>> carry_out(const neff::Collective& collective,
                                            const std::vector<Bytes>& inputs) {
    const Dtype dtype = collective.request.dtype;
    std::vector<std::vector<int>> values;
    values.reserve(inputs.size());
    for (const Bytes& input : inputs) values.push_back(test::script_values(input, dtype));
    std::vector<std::optional<Bytes>> outputs;
    for (const auto& output : test::meet(collective.request, values))
        outputs.push_back(output ? std::optional(test::script_bytes(*output, dtype)) : std::nullopt);
    return outputs;
}

struct Outcome {
    std::vector<ScriptValues> tensors;  // [rank]; the tensors that are returned
    std::string error;
};

// `values` are the given tensors of each rank.
Outcome interpret(const std::vector<neff::Package>& packages, const std::vector<ScriptValues>& values,
                  std::uint64_t order) {
    std::vector<const neff::Package*> ranks;
    ranks.reserve(packages.size());
    for (const neff::Package& package : packages) ranks.push_back(&package);
    Ranks machine(ranks, carry_out, in_order(order));
    Outcome outcome;
    for (std::size_t rank = 0; rank < packages.size(); ++rank) {
        auto next = values[rank].begin();
        for (const neff::Tensor& tensor : packages[rank].tensors)
            if (neff::is_input(tensor.kind))
                machine.set(rank, tensor.name, test::script_bytes(*next++, tensor.dtype));
    }
    try {
        machine.run();
    } catch (const Error& error) {
        outcome.error = error.what();
        return outcome;
    }
    for (std::size_t rank = 0; rank < packages.size(); ++rank) {
        ScriptValues& tensors = outcome.tensors.emplace_back();
        for (const neff::Tensor& tensor : packages[rank].tensors)
            if (neff::is_output(tensor.kind))
                tensors.push_back(test::script_values(machine.get(rank, tensor.name), tensor.dtype));
    }
    return outcome;
}

// A script with the initial values of its ranks.
struct Case {
    RankScript script;
    std::vector<ScriptValues> values;

    explicit Case(std::uint64_t seed) {
        RandomScript random(seed, 1 + static_cast<std::uint32_t>(seed % 5));
        script = random.script();
        for (std::uint32_t rank = 0; rank < script.ranks; ++rank) values.push_back(random.values());
    }
    std::vector<neff::Package> packages(
        Written written, const std::function<void(KernelBuilder&)>& before = [](KernelBuilder&) {}) const {
        std::vector<neff::Package> packages;
        for (std::uint32_t rank = 0; rank < script.ranks; ++rank) {
            ScriptKernel kernel(script, test::small_target());
            before(kernel.builder());
            packages.push_back(kernel.build(written));
        }
        return packages;
    }
};

TEST(CollectiveLoops, OfRandomCallsGiveWhatTheHostComputes) {
    for (std::uint64_t seed = test::seed(); seed < test::seed() + 60 * test::scale(); ++seed) {
        SCOPED_TRACE("TRNSIM_TEST_SEED=" + std::to_string(seed));
        const Case one(seed);
        const std::vector<ScriptValues> expected = test::ScriptReference(one.script, one.values).run();
        const auto packages = one.packages(Written::AsLoop);
        for (const std::uint64_t order : {std::uint64_t{0}, std::uint64_t{1}, seed + 2}) {
            const Outcome outcome = interpret(packages, one.values, order);
            EXPECT_EQ(outcome.error, "");
            EXPECT_TRUE(outcome.tensors == expected) << "order " << order;
        }
        // Ranks need not have the same loops.
        auto mixed = one.packages(Written::Unrolled);
        for (std::size_t rank = 0; rank < mixed.size(); rank += 2) mixed[rank] = packages[rank];
        const Outcome outcome = interpret(mixed, one.values, 1);
        EXPECT_EQ(outcome.error, "");
        EXPECT_TRUE(outcome.tensors == expected);
    }
}

TEST(CollectiveLoops, AMissingKindOfDependenceIsARace) {
    using enum Dependences::Kind;
    for (const Dependences::Kind kind : {ReadAfterWrite, WriteAfterRead, WriteAfterWrite}) {
        int noticed = 0;
        for (std::uint64_t seed = test::seed(); seed < test::seed() + 10; ++seed) {
            const Case one(seed);
            const auto packages =
                one.packages(Written::AsLoop, [&](KernelBuilder& k) { k.dependences().leave_out(kind); });
            if (!interpret(packages, one.values, seed).error.empty()) ++noticed;
        }
        EXPECT_GE(noticed, 6) << static_cast<int>(kind);
    }
}

// Gradients are computed in the loop, summed over the ranks, and subtracted from the weights, by columns.
// Each iteration overwrites `input` and has its own rows of `sums`.
constexpr std::uint32_t Rows = 8, Columns = 8, Iterations = 4;
constexpr std::uint32_t TwoRanks = 2;

neff::Package step_kernel(Written written, std::uint32_t iterations = Iterations) {
    KernelBuilder k("step", "", test::small_target());
    const std::vector<std::uint64_t> shape{Rows, Columns * iterations};
    const TensorView x = k.tensor("x", TensorKind::Input, Dtype::Fp32, shape);
    const TensorView w = k.tensor("w", TensorKind::Update, Dtype::Fp32, shape);
    const TensorView last = k.tensor("last", TensorKind::Output, Dtype::Fp32, {Rows, Columns});
    const TensorView input = k.tensor("input", TensorKind::Scratch, Dtype::Fp32, {Rows, Columns});
    const TensorView sums = k.tensor("sums", TensorKind::Scratch, Dtype::Fp32, {Rows * iterations, Columns});
    const auto loads = k.queue("loads"), stores = k.queue("stores", isa::Engine::Scalar);
    const auto meets = k.queue("meets", isa::Engine::Gpsimd);
    const auto tile = [&] { return k.sbuf(Rows, Dtype::Fp32, {Columns}); };
    const Tile gradient = tile(), weights = tile(), sum = tile();
    const neff::Collective all{{.count = std::uint64_t{Rows} * Columns, .ranks = TwoRanks}};
    const auto body = [&](auto i) {
        k.load(loads, gradient, x.slice(1, i * Columns, Columns));
        k.tensor_scalar(gradient, gradient, {AluOp::Multiply, 2.0F});
        k.store(stores, input, gradient);
        k.collective(meets, sums.slice(0, i * Rows, Rows), input, all);
        k.load(loads, weights, w.slice(1, i * Columns, Columns));
        k.load(loads, sum, sums.slice(0, i * Rows, Rows));
        k.tensor_tensor(weights, weights, AluOp::Subtract, sum);
        k.store(stores, w.slice(1, i * Columns, Columns), weights);
    };
    test::repeat(k, written, iterations, body);
    k.load(loads, sum, sums.slice(0, std::uint64_t{Rows} * (iterations - 1), Rows));
    k.store(stores, last, sum);
    return k.finish();
}

std::vector<ScriptValues> step_values() {
    auto random = test::generator();
    std::vector<ScriptValues> values(TwoRanks, ScriptValues(2));
    for (ScriptValues& of_rank : values) {
        for (std::vector<int>& tensor : of_rank) {
            for (std::uint32_t i = 0; i < Rows * Columns * Iterations; ++i)
                tensor.push_back(static_cast<int>(random() % 200) - 100);
        }
    }
    return values;
}

// Returns the results of the kernel on each rank: w and last.
std::vector<ScriptValues> step_reference(const std::vector<ScriptValues>& values) {
    std::vector<ScriptValues> results;
    for (const ScriptValues& own : values) {
        std::vector<int> w = own[1], last(Rows * Columns);
        for (std::uint32_t i = 0; i < w.size(); ++i) {
            const int sum = 2 * (values[0][0][i] + values[1][0][i]);
            w[i] -= sum;
            const std::uint32_t row = i / (Columns * Iterations), column = i % (Columns * Iterations);
            if (column / Columns == Iterations - 1) last[row * Columns + column % Columns] = sum;
        }
        results.push_back({w, last});
    }
    return results;
}

TEST(CollectiveLoops, StepGivesWhatTheHostComputes) {
    const auto values = step_values(), expected = step_reference(values);
    for (const Written written : {Written::AsLoop, Written::Unrolled}) {
        const std::vector<neff::Package> packages(TwoRanks, step_kernel(written));
        for (std::uint64_t order = 0; order < 8; ++order) {
            const Outcome outcome = interpret(packages, values, order);
            EXPECT_EQ(outcome.error, "");
            EXPECT_TRUE(outcome.tensors == expected);
        }
    }
}

// Makes a kernel that overwrites the collective's input in every iteration, or one that reads its sum in
// every iteration before the next.
neff::Package one_sided_kernel(bool writes_input) {
    KernelBuilder k("one-sided", "", test::small_target());
    const auto tensor = [&](const char* name, TensorKind kind, std::uint32_t rows) {
        return k.tensor(name, kind, Dtype::Fp32, {rows, Columns});
    };
    const TensorView x = tensor("x", TensorKind::Input, Rows * Iterations);
    const TensorView y = tensor("y", TensorKind::Output, Rows * Iterations);
    const TensorView between = tensor("between", TensorKind::Scratch, Rows);
    const auto loads = k.queue("loads", isa::Engine::Vector), stores = k.queue("stores", isa::Engine::Scalar);
    const auto meets = k.queue("meets", isa::Engine::Gpsimd);
    const Tile in = k.sbuf(Rows, Dtype::Fp32, {Columns}), out = k.sbuf(Rows, Dtype::Fp32, {Columns});
    const neff::Collective all{{.count = std::uint64_t{Rows} * Columns, .ranks = TwoRanks}};
    k.loop(Iterations, [&](builder::LoopIndex i) {
        const TensorView from = x.slice(0, i * Rows, Rows), to = y.slice(0, i * Rows, Rows);
        if (!writes_input) k.collective(meets, between, from, all);
        k.load(loads, in, writes_input ? from : between);
        k.tensor_scalar(out, in, {AluOp::Multiply, 2.0F});
        k.store(stores, writes_input ? between : to, out);
        if (writes_input) k.collective(meets, to, between, all);
    });
    return k.finish();
}

// Some order shows a fault if any single one of a rank's waits is missing.
TEST(CollectiveLoops, NoWaitCanBeLeftOut) {
    const std::vector<ScriptValues> values(
        TwoRanks, ScriptValues{std::vector<int>(std::size_t{Rows} * Iterations * Columns, 3)});
    for (const bool writes_input : {false, true}) {
        const neff::Package sound = one_sided_kernel(writes_input);
        for (std::uint64_t order = 0; order < 8; ++order) {
            const Outcome outcome = interpret({sound, sound}, values, order);
            EXPECT_EQ(outcome.error, "") << order;
            const std::vector<int> twelves(values[0][0].size(), 2 * TwoRanks * 3);
            EXPECT_TRUE(outcome.tensors == std::vector<ScriptValues>(TwoRanks, ScriptValues{twelves}));
        }
        std::size_t tried = 0;
        for (const auto& [engine, pc] : test::waits_of(sound)) {
            if (test::is_last(sound, engine, pc)) continue;
            std::vector<neff::Package> packages(TwoRanks, sound);
            isa::Instruction& instruction = packages[1].programs[engine][pc];
            const isa::Instruction whole = instruction;
            instruction.set(isa::field::WaitMode, isa::WaitMode::None);
            bool noticed = false;
            for (std::uint64_t order = 0; order < 8 && !noticed; ++order)
                noticed = !interpret(packages, values, order).error.empty();
            EXPECT_TRUE(noticed) << isa::disassemble(whole);
            ++tried;
        }
        EXPECT_GT(tried, 4U);
    }
}

// Returns the loop counter of the engine that triggers collectives.
isa::Instruction& counter_of(neff::Package& package) {
    auto& program = package.programs[static_cast<std::size_t>(isa::Engine::Gpsimd)];
    return *std::ranges::find_if(program, [](const isa::Instruction& instruction) {
        return instruction.opcode() == Opcode::RegisterAlu && instruction.get(isa::field::UseImm) != 0;
    });
}

TEST(CollectiveLoops, AnIterationMoreOrLessIsNoticed) {
    const auto values = step_values();
    for (const std::uint32_t iterations : {Iterations - 1, Iterations + 1}) {
        std::vector<neff::Package> packages(TwoRanks, step_kernel(Written::AsLoop));
        counter_of(packages[1]).set(isa::field::Data, iterations);
        const std::string error = interpret(packages, values, 0).error;
        EXPECT_NE(error.find("deadlock: "), std::string::npos) << error;
    }
}

// Makes a kernel of a single collective, three times.
neff::Package bare_kernel() {
    KernelBuilder k("bare", "", test::small_target());
    const TensorView x = k.tensor("x", TensorKind::Input, Dtype::Fp32, {Columns});
    const TensorView y = k.tensor("y", TensorKind::Output, Dtype::Fp32, {Columns});
    const auto meets = k.queue("meets", isa::Engine::Gpsimd);
    k.loop(3,
           [&](builder::LoopIndex) { k.collective(meets, y, x, {{.count = Columns, .ranks = TwoRanks}}); });
    return k.finish();
}

std::string error_of(const neff::Package& package) {
    const std::vector<ScriptValues> values(TwoRanks, ScriptValues{std::vector<int>(Columns, 1)});
    return interpret(std::vector<neff::Package>(TwoRanks, package), values, 1).error;
}

TEST(CollectiveLoops, ATriggerTooManyIsOneLine) {
    neff::Package package = bare_kernel();
    EXPECT_EQ(error_of(package), "");
    counter_of(package).set(isa::field::Data, 4U);
    const std::string error = error_of(package);
    EXPECT_NE(error.find("triggers collective 'all-reduce y[8]' once more than its loop has iterations"),
              std::string::npos)
        << error;
}

// Iterations share the memory that the DMA engines need for the collective.
TEST(CollectiveLoops, ATriggerThatDoesNotWaitForTheOneBeforeIsOneLine) {
    neff::Package package = bare_kernel();
    for (const auto& [engine, pc] : test::waits_of(package))
        package.programs[engine][pc].set(isa::field::WaitMode, isa::WaitMode::None);
    const std::string error = error_of(package);
    EXPECT_NE(error.find("its memory may be in use: nothing orders the trigger after the completion of meets "
                         "on DMA engine 0, transfer 0 'all-reduce y[8]' in iteration 0 at "),
              std::string::npos)
        << error;
}

TEST(CollectiveLoops, AWrongStepGivesAnotherResult) {
    const auto values = step_values(), expected = step_reference(values);
    std::vector<neff::Package> packages(TwoRanks, step_kernel(Written::AsLoop));
    const auto collective = std::ranges::find_if(
        packages[1].transfers, [](const neff::Transfer& t) { return t.collective.has_value(); });
    collective->to.iteration_step[0] -= 4;
    const Outcome outcome = interpret(packages, values, 0);
    EXPECT_TRUE(!outcome.error.empty() || outcome.tensors != expected);
}

}  // namespace
}  // namespace trnsim::functional
