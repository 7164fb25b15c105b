// Tests calls of the builder that gather and scatter: what they emit and what they refuse.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "compiler/builder/error.hpp"
#include "compiler/builder/kernel_builder.hpp"
#include "compiler/kernels/targets.hpp"
#include "compiler/neff/check.hpp"

namespace trnsim::builder {
namespace {

using isa::Dtype;
using neff::TensorKind;

struct Bench {
    KernelBuilder k{"k", "", target::Chip(test::small_target())};
    TensorView table = k.tensor("table", TensorKind::Update, Dtype::Bf16, {20, 7, 6});
    TensorView at = k.tensor("at", TensorKind::Input, Dtype::I32, {5, 1});
    Queue q = k.queue("q");
    Tile index = k.sbuf(5, Dtype::I32, {1}), rows = k.sbuf(5, Dtype::Bf16, {6});
};

// Gathers columns 2 to 4 of line 3 of every row; the indices begin at -4.
TEST(Indexed, WhatAGatherBecomes) {
    Bench b;
    b.k.load(b.q, b.index, b.at);
    TensorView view = b.table.slice(1, 3, 1).slice(2, 2, 3);
    view.axes.erase(view.axes.begin() + 1);
    b.k.gather(b.q, b.rows.slice(0, 1, 3), view, b.index, {.first = -4, .skip = true});
    const neff::Package package = b.k.finish();
    neff::check(package);
    const neff::Transfer& gather = package.transfers.at(1);
    EXPECT_EQ(gather.name, "gather table[20, 3]");
    EXPECT_EQ(gather.element_bytes, 2u);
    EXPECT_EQ(gather.from.offset, (3 * 6 + 2) * 2u);
    EXPECT_EQ(gather.from.count, (std::array<std::uint32_t, 4>{3, 5, 1, 1}));
    EXPECT_EQ(gather.from.step, (std::array<std::int64_t, 4>{2, 0, 0, 0}));
    EXPECT_EQ(gather.to.count, gather.from.count);
    ASSERT_TRUE(gather.indirect);
    EXPECT_FALSE(gather.indirect->scatter);
    EXPECT_EQ(gather.indirect->step, 7 * 6 * 2);
    EXPECT_EQ(gather.indirect->first, -4);
    EXPECT_EQ(gather.indirect->last, 15);
    EXPECT_TRUE(gather.indirect->skip);
    EXPECT_EQ(gather.indirect->index.place, neff::Pattern::Space::Core);
    EXPECT_EQ(gather.indirect->index.count[0], 5u);
}

// Partition p takes line p of its row; all partitions may share one index.
TEST(Indexed, AViewWithAnAxisForThePartitions) {
    Bench b;
    b.k.load(b.q, b.index, b.at);
    b.k.scatter(b.q, b.table.slice(1, 1, 5), b.rows, b.index.partition_slice(2, 1));
    const neff::Package package = b.k.finish();
    neff::check(package);
    const neff::Transfer& scatter = package.transfers.at(1);
    EXPECT_EQ(scatter.to.offset, 12u);
    EXPECT_EQ(scatter.to.step, (std::array<std::int64_t, 4>{2, 12, 0, 0}));
    EXPECT_TRUE(scatter.indirect->scatter);
    EXPECT_EQ(scatter.indirect->index.count[0], 1u);
    EXPECT_EQ(scatter.indirect->step, 84);
}

// A scatter does not replace its tensor: a reader of the tensor also comes after earlier writes.
TEST(Indexed, AScatterWritesSomeOfItsTensor) {
    for (const bool rows_only : {false, true}) {
        KernelBuilder k("k", "", target::Chip(test::small_target()));
        const TensorView table = k.tensor("table", TensorKind::Scratch, Dtype::Fp32, {4, 3});
        const Tile rows = k.sbuf(4, Dtype::Fp32, {3}), index = k.sbuf(4, Dtype::I32, {1});
        const Queue one = k.queue("one"), two = k.queue("two");
        k.memset(rows, 1.0f);
        k.memset(index, 0.0f);
        k.store(one, table, rows);
        if (rows_only) {
            k.store(two, table, rows);
        } else {
            k.scatter(two, table, rows, index);
        }
        Dependences::Call call{{neff::EngineCount + 2, 0}, false, {}};
        k.dependences().read(call, table);
        std::vector<std::int32_t> producers;
        for (const Event& event : call.after) producers.push_back(event.producer);
        std::ranges::sort(producers);
        const std::int32_t first = neff::EngineCount;
        EXPECT_EQ(producers, rows_only ? std::vector<std::int32_t>{first + 1}
                                       : (std::vector<std::int32_t>{first, first + 1}));
    }
}

struct Bad {
    const char* name;
    std::function<void(Bench&)> call;
    const char* message;
};

TensorView lines(const Bench& b) {
    TensorView view = b.table.slice(1, 0, 1);
    view.axes.erase(view.axes.begin() + 1);
    return view;
}

const Bad Cases[] = {
    {"Type", [](Bench& b) { b.k.gather(b.q, b.k.sbuf(5, Dtype::Fp32, {6}), lines(b), b.index); },
     "does not fit"},
    {"Columns", [](Bench& b) { b.k.gather(b.q, b.rows.slice(0, 0, 5), lines(b), b.index); }, "does not fit"},
    {"Axes", [](Bench& b) { b.k.gather(b.q, b.rows, b.table.split(2, 3), b.index); }, "does not fit"},
    {"TypeOfTheIndex", [](Bench& b) { b.k.gather(b.q, b.rows, lines(b), b.k.sbuf(5, Dtype::U16, {1})); },
     "gather: index SBUF u16 [5, 1]"},
    {"TwoIndices", [](Bench& b) { b.k.scatter(b.q, lines(b), b.rows, b.k.sbuf(5, Dtype::I32, {2})); },
     "expected i32 [5, 1] in SBUF"},
    {"PartitionsOfTheIndex",
     [](Bench& b) { b.k.gather(b.q, b.rows, lines(b), b.index.partition_slice(0, 4)); },
     "expected i32 [5, 1] in SBUF"},
    {"OneIndexForRowsWithoutPartitions",
     [](Bench& b) { b.k.gather(b.q, b.rows, lines(b), b.index.partition_slice(0, 1)); },
     "expected i32 [5, 1] in SBUF"},
    {"Queue", [](Bench& b) { b.k.gather(Queue{3}, b.rows, lines(b), b.index); }, "there is no queue 3"},
    {"CombinesAGather",
     [](Bench& b) { b.k.gather(b.q, b.rows, lines(b), b.index, {.combine = isa::AluOp::Add}); },
     "gather table[20, 6]: combines, expected a scatter with every index in bounds"},
    {"CombinesBySubtract",
     [](Bench& b) { b.k.scatter(b.q, lines(b), b.rows, b.index, {.combine = isa::AluOp::Subtract}); },
     "scatter table[20, 6]: combines by subtract, expected add, multiply, min or max"},
    {"LongIndices", [](Bench& b) { b.k.gather(b.q, b.rows, lines(b), b.index, {.first = 2147483640}); },
     "gather: table[20, 6]: rows up to 2147483659, expected indices of 32 bits"},
};

class IndexedRefusal : public ::testing::TestWithParam<Bad> {};

TEST_P(IndexedRefusal, NamesWhatIsWrong) {
    Bench b;
    try {
        GetParam().call(b);
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find(GetParam().message), std::string::npos) << error.what();
    }
}

INSTANTIATE_TEST_SUITE_P(Cases, IndexedRefusal, ::testing::ValuesIn(Cases),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace trnsim::builder
