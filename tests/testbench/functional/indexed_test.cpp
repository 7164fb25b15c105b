// Tests transfers that find their rows by indices, in the interpreter: in any order of the DMA engines the
// results are those that loops on the host compute; indices out of bounds, rows written twice and unordered
// indices are errors.
#include <gtest/gtest.h>

#include "common/combined_kernel.hpp"
#include "common/indexed_kernel.hpp"
#include "common/random.hpp"
#include "common/transposed_kernel.hpp"
#include "compiler/kernels/targets.hpp"
#include "testbench/functional/error.hpp"
#include "testbench/functional/interpreter.hpp"
#include "testbench/functional/transfer.hpp"

namespace trnsim::functional {
namespace {

using builder::KernelBuilder;
using builder::Tile;
using neff::TensorKind;

void check(const test::IndexedKernel& kernel, std::uint64_t order) {
    Interpreter machine(kernel.package, in_order(order));
    for (const auto& [name, bytes] : kernel.inputs) machine.set(name, bytes);
    machine.run();
    for (const auto& [name, bytes] : kernel.expected)
        ASSERT_EQ(machine.get(name), bytes) << name << ", order " << order;
}

TEST(Indexed, RandomKernels) {
    auto random = test::generator();
    const target::Core targets[] = {test::small_target(), test::odd_target(), test::trn1_target()};
    for (std::uint64_t i = 0; i < 60 * test::scale(); ++i) {
        const test::IndexedKernel kernel = test::random_indexed_kernel(target::Chip(targets[i % 3]), random);
        for (std::uint64_t order = 0; order < 4; ++order) check(kernel, order == 3 ? 3 + i : order);
        if (HasFatalFailure()) return;
    }
}

TEST(Indexed, ElementsAreCombinedWithThoseThatAreThere) {
    auto random = test::generator();
    const target::Core targets[] = {test::small_target(), test::odd_target(), test::trn1_target()};
    for (std::uint64_t i = 0; i < 30 * test::scale(); ++i) {
        const test::IndexedKernel kernel = test::random_combined_kernel(target::Chip(targets[i % 3]), random);
        for (std::uint64_t order = 0; order < 4; ++order) check(kernel, order == 3 ? 3 + i : order);
        if (HasFatalFailure()) return;
    }
}

TEST(Transposed, RandomKernels) {
    auto random = test::generator();
    const target::Core targets[] = {test::small_target(), test::odd_target(), test::trn1_target()};
    for (std::uint64_t i = 0; i < 45 * test::scale(); ++i) {
        const test::IndexedKernel kernel =
            test::random_transposed_kernel(target::Chip(targets[i % 3]), random);
        for (std::uint64_t order = 0; order < 4; ++order) check(kernel, order == 3 ? 3 + i : order);
        if (HasFatalFailure()) return;
    }
}

// The store races with the load if it does not wait for it.
TEST(Transposed, ATileThatNothingOrders) {
    KernelBuilder k("races", "", target::Chip(test::small_target()), builder::Waits::Explicit);
    const auto x = k.tensor("x", TensorKind::Input, isa::Dtype::Bf16, {6, 4});
    const auto y = k.tensor("y", TensorKind::Output, isa::Dtype::Bf16, {4, 6});
    const Tile tile = k.sbuf(4, isa::Dtype::Bf16, {6});
    k.load_transposed(k.queue("a"), tile, x);
    k.store(k.queue("b"), y, tile);
    const neff::Package package = k.finish();
    for (std::uint64_t order = 0; order < 20; ++order) {
        Interpreter machine(package, in_order(order));
        machine.set("x", std::vector<std::uint8_t>(48));
        EXPECT_THROW(machine.run(), Error) << order;
    }
}

TEST(Indexed, InLoops) {
    auto random = test::generator();
    for (const bool one_for_all : {false, true}) {
        for (std::uint64_t order = 0; order < 6; ++order)
            check(test::looped_indexed_kernel(target::Chip(test::small_target()), random,
                                              3 + static_cast<std::uint32_t>(order), one_for_all),
                  order);
    }
}

enum class Moves : std::uint8_t { Gather, Scatter };

struct Refused {
    const char* name;
    Moves moves;
    std::vector<std::int32_t> indices;
    const char* message;
};

neff::Package one_transfer(Moves moves, builder::Waits waits = builder::Waits::Derived) {
    KernelBuilder k("one", "", target::Chip(test::small_target()), waits);
    const auto x = k.tensor("x", TensorKind::Update, isa::Dtype::Fp32, {6, 3});
    const auto at = k.tensor("at", TensorKind::Input, isa::Dtype::I32, {4, 1});
    const auto q = k.queue("q");
    const Tile index = k.sbuf(4, isa::Dtype::I32, {1}), rows = k.sbuf(4, isa::Dtype::Fp32, {3});
    const builder::Event filled = k.memset(rows, 1.0f);
    k.load(q, index, at);
    if (moves == Moves::Gather) {
        k.gather(q, rows, x, index, {.after = {filled}});
    } else {
        k.scatter(q, x, rows, index, {.after = {filled}});
    }
    return k.finish();
}

const Refused Cases[] = {
    {"Above", Moves::Gather, {1, 6, 0, 2}, "index 6 is out of bounds, expected 0 to 5"},
    {"Below", Moves::Scatter, {1, 3, -1, 2}, "index -1 is out of bounds, expected 0 to 5"},
    {"RowWrittenTwice", Moves::Scatter, {1, 3, 1, 2}, "race: a write of byte"},
};

class IndexedError : public ::testing::TestWithParam<Refused> {};

TEST_P(IndexedError, IsFoundInEveryOrder) {
    const Refused& refused = GetParam();
    const neff::Package package = one_transfer(refused.moves);
    for (std::uint64_t order = 0; order < 20; ++order) {
        Interpreter machine(package, in_order(order));
        machine.set("x", std::vector<std::uint8_t>(72));
        machine.set("at", test::index_bytes(refused.indices));
        try {
            machine.run();
            FAIL() << "order " << order;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(refused.message), std::string::npos) << error.what();
            EXPECT_NE(std::string(error.what()).find("x[6, 3]"), std::string::npos) << error.what();
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Cases, IndexedError, ::testing::ValuesIn(Cases),
                         [](const auto& info) { return info.param.name; });

// A gather may name a row twice.
TEST(Indexed, RowsAreGatheredTwice) {
    const neff::Package package = one_transfer(Moves::Gather);
    Interpreter machine(package, in_order(7));
    machine.set("x", std::vector<std::uint8_t>(72));
    machine.set("at", test::index_bytes({1, 1, 1, 0}));
    machine.run();
}

// The reads of the indices race with the load of the indices if they do not wait for it.
TEST(Indexed, IndicesThatNothingOrders) {
    const neff::Package package = one_transfer(Moves::Gather, builder::Waits::Explicit);
    for (std::uint64_t order = 0; order < 20; ++order) {
        Interpreter machine(package, in_order(order));
        machine.set("x", std::vector<std::uint8_t>(72));
        machine.set("at", test::index_bytes({1, 2, 3, 0}));
        EXPECT_THROW(machine.run(), Error) << order;
    }
}

// A row that is left out is not written: reading it is an error.
TEST(Indexed, ARowThatIsLeftOutIsNotWritten) {
    KernelBuilder k("skips", "", target::Chip(test::small_target()));
    const auto x = k.tensor("x", TensorKind::Input, isa::Dtype::Fp32, {6, 3});
    const auto at = k.tensor("at", TensorKind::Input, isa::Dtype::I32, {4, 1});
    const auto y = k.tensor("y", TensorKind::Output, isa::Dtype::Fp32, {4, 3});
    const auto q = k.queue("q");
    const Tile index = k.sbuf(4, isa::Dtype::I32, {1}), rows = k.sbuf(4, isa::Dtype::Fp32, {3});
    k.load(q, index, at);
    k.gather(q, rows, x, index, {.skip = true});
    k.store(q, y, rows);
    const neff::Package package = k.finish();
    for (const std::int32_t last : {5, 6}) {
        Interpreter machine(package);
        machine.set("x", std::vector<std::uint8_t>(72));
        machine.set("at", test::index_bytes({1, 2, 3, last}));
        if (last == 5) {
            machine.run();
        } else {
            EXPECT_THROW(machine.run(), Error);
        }
    }
}

// A transfer that combines reads what another one writes: they must be ordered one after the other.
TEST(Indexed, CombinationsThatNothingOrders) {
    KernelBuilder k("two", "", target::Chip(test::small_target()), builder::Waits::Explicit);
    const auto x = k.tensor("x", TensorKind::Update, isa::Dtype::Fp32, {4, 3});
    const auto one = k.queue("one"), two = k.queue("two");
    const Tile rows = k.sbuf(4, isa::Dtype::Fp32, {3});
    const builder::Event filled = k.memset(rows, 1.0f);
    k.combine(one, x, isa::AluOp::Add, rows, {filled});
    k.combine(two, x, isa::AluOp::Add, rows, {filled});
    const neff::Package package = k.finish();
    for (std::uint64_t order = 0; order < 20; ++order) {
        Interpreter machine(package, in_order(order));
        machine.set("x", std::vector<std::uint8_t>(48));
        EXPECT_THROW(machine.run(), Error) << order;
    }
}

TEST(Indexed, WhatATransferMayWrite) {
    const neff::Transfer scatter = one_transfer(Moves::Scatter).transfers.at(1);
    ASSERT_TRUE(scatter.indirect && scatter.indirect->scatter);
    EXPECT_TRUE(may_write(scatter, 0));
    EXPECT_TRUE(may_write(scatter, 71));
    EXPECT_FALSE(may_write(scatter, 72));
}

}  // namespace
}  // namespace trnsim::functional
