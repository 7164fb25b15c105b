// Tests the instructions that loops of the builder emit and what they refuse. The interpreter's
// derived_loops_test checks that their waits are right.
#include <gtest/gtest.h>

#include <algorithm>

#include "common/loop_kernels.hpp"
#include "common/temporary_directory.hpp"
#include "compiler/builder/error.hpp"
#include "compiler/neff/neff.hpp"

namespace trnsim::builder {
namespace {

using isa::Dtype;
using isa::Opcode;
using neff::TensorKind;

target::Chip target() {
    target::Chip target{target::Core{}};
    target.rows = target.columns = target.partitions = 16;
    target.sbuf_partition = 16 << 10;
    target.psum_partition = 16 << 10;
    target.psum_banks = 8;
    target.dma_engines = 4;
    target.dma_rings = 8;
    return target;
}

std::size_t count(const neff::Package& package, isa::Engine engine, Opcode opcode) {
    return static_cast<std::size_t>(std::ranges::count(package.programs[static_cast<std::size_t>(engine)],
                                                       opcode, &isa::Instruction::opcode));
}

TEST(Loops, AContainerDoesNotGrowWithTheIterations) {
    for (const auto build : {test::elementwise_loop, test::matmul_loop, test::softmax_loop}) {
        const neff::Package three = build(target(), {.iterations = 3}),
                            many = build(target(), {.iterations = 1000});
        EXPECT_EQ(three.transfers.size(), many.transfers.size());
        for (std::size_t engine = 0; engine < three.programs.size(); ++engine)
            EXPECT_EQ(three.programs[engine].size(), many.programs[engine].size());
        // In a tar, numbers with more digits change only the size of their member's last block.
        EXPECT_NEAR(static_cast<double>(neff::serialise(three).size()),
                    static_cast<double>(neff::serialise(many).size()), 1024);
    }
}

// A queue's load, an engine's call and a store: each wait counts once in each iteration.
TEST(Loops, TriggersAndWaitsComeOnce) {
    const neff::Package package = test::elementwise_loop(target(), {.iterations = 9});
    EXPECT_EQ(package.transfers.size(), 4u);
    EXPECT_EQ(package.loops.size(), 1u);
    EXPECT_EQ(package.loops[0].iterations, 9u);
    for (const isa::Engine engine :
         {isa::Engine::Sync, isa::Engine::Vector, isa::Engine::Scalar, isa::Engine::Gpsimd})
        EXPECT_EQ(count(package, engine, Opcode::Branch), 1u);
    EXPECT_EQ(count(package, isa::Engine::Sync, Opcode::DmaTrigger), 2u);
    EXPECT_TRUE(package.programs[0].empty());
}

// A kernel for tests that make calls in a loop; its load steps from iteration to iteration.
struct Sample {
    KernelBuilder k;
    TensorView x;
    Queue queue;
    Tile tile;

    explicit Sample(Waits waits = Waits::Derived)
        : k("sample", "", target(), waits),
          x(k.tensor("x", TensorKind::Input, Dtype::Fp32, {16, 64})),
          queue(k.queue("loads")),
          tile(k.sbuf(16, Dtype::Fp32, {16})) {}
};

template <typename Action>
std::string message_of(const Action& action) {
    return test::message_of<Error>(action);
}

// Returns the place of a call, with which messages begin.
std::string at(std::uint32_t line) {
    return place_name(Where::current(__FILE__, line)) + ": ";
}

TEST(Loops, RefuseWhatTheyCannotDo) {
    Sample s;
    std::uint32_t line = 0;
    std::string outer;
    std::string message = message_of([&] {
        outer = at(__LINE__ + 1);
        s.k.loop(2, [&](LoopIndex) {
            line = __LINE__ + 1;
            s.k.loop(2, [](LoopIndex) {});
        });
    });
    EXPECT_EQ(message, at(line) + "loop: it is within that of " + outer + "loops do not nest");
    EXPECT_NE(message_of([&] { s.k.finish(); }).find("has not ended"), std::string::npos);

    message = message_of([&] {
        line = __LINE__ + 1;
        Sample().k.loop(0, [](LoopIndex) {});
    });
    EXPECT_EQ(message, at(line) + "loop: 0 iterations, expected 1 to 1048576");
    message = message_of([&] {
        line = __LINE__ + 1;
        Sample(Waits::Explicit).k.loop(2, [](LoopIndex) {});
    });
    EXPECT_EQ(message, at(line) + "loop: only with waits that are derived");
    EXPECT_EQ(message_of([] { Sample().k.end_loop(); }), "loop: it has not begun");
}

TEST(Loops, RefuseSlicesOutside) {
    Sample s;
    std::uint32_t line = 0;
    TensorView left = s.x;
    s.k.loop(4, [&](LoopIndex i) {
        const std::string message = message_of([&] {
            line = __LINE__ + 1;
            s.x.slice(1, i * 16 + 1, 16);
        });
        EXPECT_EQ(message, at(line) + "slices 1+16 to 49+16 of axis 1 in 4 iterations are outside x[16, 64]");
        EXPECT_NE(message_of([&] { s.x.slice(1, i * -16, 16); }), "");
        left = s.x.slice(1, 48 - 16 * i, 16);
        s.k.load(s.queue, s.tile, left);
    });
    const std::string message = message_of([&] {
        line = __LINE__ + 1;
        s.k.load(s.queue, s.tile, left);
    });
    EXPECT_EQ(message, at(line) + "transfer: x[16, 16] is a slice of a loop that has ended");
    const neff::Pattern& from = s.k.finish().transfers[0].from;
    EXPECT_EQ(from.offset, 48u * 4);
    EXPECT_EQ(from.iteration_step[0], -16 * 4);
    EXPECT_EQ(from.iteration_count[0], 4u);
}

TEST(Loops, RefuseAStationaryOperandOfTheIterationBefore) {
    Sample s;
    s.k.load_stationary(s.tile);
    const auto multiply = [&] { s.k.multiply_moving(s.k.psum({0}, 16, 16), s.tile); };
    s.k.loop(2, [&](LoopIndex) { multiply(); });
    std::uint32_t line = 0;
    const std::string message = message_of([&] {
        line = __LINE__ + 1;
        s.k.loop(2, [&](LoopIndex) {
            multiply();
            s.k.load_stationary(s.tile);
        });
    });
    EXPECT_EQ(message, at(line) +
                           "loop: multiply_moving comes before the load_stationary of its iteration, "
                           "so it would use that of the iteration before");
}

// Tables of a single function are loaded before the loop; tables of two functions are loaded in turn in each
// iteration.
TEST(Loops, LoadActivationTablesOnce) {
    const auto scalar = [](bool another, bool before) {
        Sample s;
        if (before) s.k.activation(s.tile, s.tile, isa::Activation::Gelu);
        s.k.loop(5, [&](LoopIndex) {
            s.k.activation(s.tile, s.tile, isa::Activation::Gelu);
            if (another) s.k.activation(s.tile, s.tile, isa::Activation::Sin);
        });
        return s.k.finish().programs[static_cast<std::size_t>(isa::Engine::Scalar)];
    };
    const auto loads_in_loop = [](const std::vector<isa::Instruction>& program) {
        const auto branch = std::ranges::find(program, Opcode::Branch, &isa::Instruction::opcode);
        const auto first = program.begin() + static_cast<std::ptrdiff_t>(branch->get(isa::field::Target));
        return std::pair(
            std::count_if(program.begin(), first,
                          [](const auto& i) { return i.opcode() == Opcode::ActTableLoad; }),
            std::count_if(first, branch, [](const auto& i) { return i.opcode() == Opcode::ActTableLoad; }));
    };
    using Loads = std::pair<std::ptrdiff_t, std::ptrdiff_t>;
    EXPECT_EQ(loads_in_loop(scalar(false, false)), (Loads{1, 0}));
    EXPECT_EQ(loads_in_loop(scalar(false, true)), (Loads{1, 0}));
    EXPECT_EQ(loads_in_loop(scalar(true, false)), (Loads{0, 2}));
    EXPECT_EQ(loads_in_loop(scalar(true, true)), (Loads{1, 2}));
}

// A function without a table may come before the first load of an iteration: it works with any set, and with
// none.
TEST(Loops, FunctionsWithoutATableNeedNoLoad) {
    for (const bool before : {false, true}) {
        Sample s;
        if (before) s.k.activation(s.tile, s.tile, isa::Activation::Sin);
        s.k.loop(5, [&](LoopIndex) {
            s.k.activation(s.tile, s.tile, isa::Activation::Copy);
            s.k.activation(s.tile, s.tile, isa::Activation::Gelu);
        });
        const auto program = s.k.finish().programs[static_cast<std::size_t>(isa::Engine::Scalar)];
        std::vector<isa::ActivationSet> loaded;
        for (const isa::Instruction& instruction : program) {
            if (instruction.opcode() == Opcode::ActTableLoad)
                loaded.push_back(static_cast<isa::ActivationSet>(instruction.get(isa::field::TableSet)));
        }
        EXPECT_EQ(loaded.size(), before ? 2u : 1u);
        EXPECT_EQ(std::ranges::count(loaded, isa::ActivationSet::None), 0);
    }
}

// Slices of a tensor overlap in the same iteration, in a later one, or not at all.
TEST(LoopAccess, StepsFromIterationToIteration) {
    Sample s;
    const LoopIndex i = s.k.begin_loop(3);
    for (const std::size_t axis : {0u, 1u}) {
        const std::uint64_t count = axis == 0 ? 4 : 16;
        const auto part = [&](const LoopOffset& first) {
            return loop_access(s.x.slice(axis, first, count), 64 * 4, true);
        };
        const auto step = static_cast<std::int64_t>(count);
        const LoopAccess now = part(i * step), next = part(i * step + step), half = part(i * (step / 2));
        const LoopAccess back = part(2 * step - i * step);
        EXPECT_TRUE(meets_at_once(now, now));
        EXPECT_FALSE(meets_later(now, now, 1));
        EXPECT_FALSE(meets_at_once(now, next));
        EXPECT_TRUE(meets_later(next, now, 1));
        EXPECT_FALSE(meets_later(next, now, 2));
        EXPECT_FALSE(meets_later(now, next, 1));
        EXPECT_FALSE(meets_later(back, back, 1));
        EXPECT_TRUE(meets_later(half, half, 1));
        EXPECT_TRUE(meets_later(now, half, 1)) << "another step";
        EXPECT_TRUE(meets_later(now, back, 1)) << "another direction";
    }
    const LoopAccess tile = loop_access(s.tile, true), column = loop_access(s.x.slice(1, 0, 1), 64 * 4, true);
    EXPECT_TRUE(meets_later(tile, tile, 1000)) << "the same in every iteration";
    EXPECT_TRUE(meets_later(column, column, 1000));
    EXPECT_FALSE(meets_at_once(tile, column));
}

// In the loop an event is that of the same iteration, after the loop that of the last one.
TEST(Loops, EventsCanBeNamed) {
    Sample s;
    const Tile other = s.k.sbuf(16, Dtype::Fp32, {16});
    Event copied;
    const auto before = s.k.memset(other, 1.0f);
    s.k.loop(5, [&](LoopIndex) {
        const Event set = s.k.memset(s.tile, 0.0f, {.after = {before}});
        copied = s.k.tensor_copy(other, other, {.after = {set}, .engine = isa::Engine::Scalar});
    });
    s.k.wait(isa::Engine::Sync, {copied});
    const neff::Package package = s.k.finish();
    EXPECT_EQ(count(package, isa::Engine::Scalar, Opcode::EventSemaphore), 1u)
        << "one take of what Vector counts";
    const auto& sync = package.programs[static_cast<std::size_t>(isa::Engine::Sync)];
    ASSERT_EQ(sync.size(), 2u);
    const auto& scalar = package.programs[static_cast<std::size_t>(isa::Engine::Scalar)];
    const isa::Instruction& exit = scalar[scalar.size() - 2];
    EXPECT_EQ(exit.opcode(), Opcode::RegisterAlu);
    EXPECT_EQ(exit.get(isa::field::UpdateSem), sync[0].get(isa::field::WaitSem));
}

}  // namespace
}  // namespace trnsim::builder
