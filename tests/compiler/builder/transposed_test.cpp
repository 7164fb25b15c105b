// Tests calls of the builder that transpose by DMA: what they emit and what they refuse.
#include <gtest/gtest.h>

#include "common/refusal.hpp"
#include "compiler/builder/kernel_builder.hpp"
#include "compiler/kernels/targets.hpp"
#include "compiler/neff/check.hpp"
#include "compiler/neff/sizes.hpp"

namespace trnsim::builder {
namespace {

using isa::Dtype;
using neff::TensorKind;

struct Bench {
    KernelBuilder k{"k", "", target::Chip(test::small_target())};
    TensorView x = k.tensor("x", TensorKind::Update, Dtype::Bf16, {20, 3, 5});
    Queue q = k.queue("q");
    Tile tile = k.sbuf(5, Dtype::Bf16, {3, 20});
};

TEST(Transposed, WhatTheyBecome) {
    Bench b;
    b.k.load_transposed(b.q, b.tile, b.x);
    b.k.store_transposed(b.q, b.x, b.tile);
    const neff::Package package = b.k.finish();
    neff::check(package);
    const neff::Transfer &load = package.transfers.at(0), &store = package.transfers.at(1);
    EXPECT_TRUE(load.transposes && store.transposes);
    EXPECT_EQ(load.from.count, (std::array<std::uint32_t, 4>{20, 3, 5, 1}));
    EXPECT_EQ(load.from.step, (std::array<std::int64_t, 4>{30, 10, 2, 0}));
    EXPECT_EQ(load.to.count, load.from.count);
    EXPECT_EQ(load.to.step[0], 2);
    EXPECT_EQ(store.to.step, load.from.step);
    EXPECT_EQ(store.from.step, load.to.step);
    EXPECT_EQ(load.name, "load_transposed x[5, 3, 20]");
}

// A transposed transfer goes tile by tile: a long one has more elements than its DMA engines take
// descriptors.
TEST(Transposed, LongOnes) {
    constexpr std::uint32_t Rows = 1 << 15;
    KernelBuilder k("k", "", target::Chip(test::trn1_target()));
    const TensorView x = k.tensor("x", TensorKind::Input, Dtype::U8, {Rows, 128});
    k.load_transposed(k.queue("q"), k.sbuf(128, Dtype::U8, {Rows}), x);
    const neff::Package package = k.finish();
    ASSERT_GT(neff::element_count(package.transfers.at(0).from),
              2 * neff::MaxDescriptors * package.target.dma_engines);
    EXPECT_NO_THROW(neff::check(package));
}

// A single row or column is copied.
TEST(Transposed, ARowIsCopied) {
    Bench b;
    b.k.load_transposed(b.q, b.tile.slice(1, 0, 1).slice(0, 0, 1), b.x.slice(0, 4, 1).slice(1, 0, 1));
    const neff::Package package = b.k.finish();
    neff::check(package);
    EXPECT_FALSE(package.transfers.at(0).transposes);
}

TEST(Transposed, WhatIsRefused) {
    Bench b;
    EXPECT_EQ(test::refusal_of([&] { b.k.load_transposed(b.q, b.tile, b.x.swapped(0, 2)); }),
              "transfer: bf16 x[20, 3, 5] does not fit " + b.tile.describe() +
                  ": axis 0 has 20 elements, for 5 partitions");
    const Tile wide = b.k.sbuf(5, Dtype::Fp32, {3, 20});
    EXPECT_EQ(test::refusal_of([&] { b.k.store_transposed(b.q, b.x, wide); }),
              "transfer: bf16 x[5, 3, 20] does not fit " + wide.describe() +
                  ": the types are bf16 and fp32, expected the same");
}

}  // namespace
}  // namespace trnsim::builder
