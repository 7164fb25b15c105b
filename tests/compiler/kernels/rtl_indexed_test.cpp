// Runs kernels that gather and scatter on the verilated core. With any timing the outputs are those that
// loops on the host compute; indices out of bounds and repeated indices are tested too.
#include <gtest/gtest.h>

#include <set>

#include "arch/target/target.hpp"
#include "common/combined_kernel.hpp"
#include "common/indexed_kernel.hpp"
#include "common/transposed_kernel.hpp"
#include "rtl_bench.hpp"
#include "runtime/loader/tensor_io.hpp"
#include "testbench/functional/interpreter.hpp"

namespace trnsim::test {
namespace {

runtime::Arrays arrays_of(const IndexedKernel& kernel) {
    runtime::Arrays arrays;
    for (const neff::Tensor& tensor : kernel.package.tensors) {
        if (neff::is_input(tensor.kind))
            arrays.emplace(tensor.name, loader::from_device(tensor, kernel.inputs.at(tensor.name)));
    }
    return arrays;
}

void check(const IndexedKernel& kernel, const config::Config& config, tlm::perturb::Seed perturb) {
    const Bytes got = run_on_rtl(kernel.package, config, arrays_of(kernel), {}, perturb);
    Bytes expected;
    for (const neff::Tensor& tensor : kernel.package.tensors) {
        if (!neff::is_output(tensor.kind)) continue;
        const Bytes& bytes = kernel.expected.at(tensor.name);
        expected.insert(expected.end(), bytes.begin(), bytes.end());
    }
    expect_same(got, expected);
}

tlm::perturb::Seed random_seed(std::mt19937_64& random) {
    return static_cast<std::uint32_t>(random() % 1'000'000);
}

TEST(RtlIndexed, RandomKernels) {
    const config::Config config = config::load("small16");
    auto random = generator();
    for (std::uint64_t i = 0; i < 12 * scale(); ++i) {
        const IndexedKernel kernel = random_indexed_kernel(target::of(config), random);
        check(kernel, config, i % 3 == 0 ? tlm::perturb::Seed{} : random_seed(random));
        if (HasFailure()) FAIL() << "kernel " << i;
    }
}

TEST(RtlIndexed, ElementsAreCombinedWithThoseThatAreThere) {
    auto random = generator();
    for (std::uint64_t i = 0; i < 8 * scale(); ++i) {
        config::Config config = config::load("small16");
        if (i % 4 == 3) {
            config.name = "small16 with one DMA engine";
            config.dma.engines = 1;
        }
        const IndexedKernel kernel = random_combined_kernel(target::of(config), random);
        check(kernel, config, i % 3 == 0 ? tlm::perturb::Seed{} : random_seed(random));
        if (HasFailure()) FAIL() << "kernel " << i;
    }
}

TEST(RtlTransposed, RandomKernels) {
    auto random = generator();
    for (std::uint64_t i = 0; i < 12 * scale(); ++i) {
        config::Config config = config::load("small16");
        if (i % 4 == 3) {
            config.name = "small16 with one DMA engine";
            config.dma.engines = 1;
        }
        const IndexedKernel kernel = random_transposed_kernel(target::of(config), random);
        check(kernel, config, i % 3 == 0 ? tlm::perturb::Seed{} : random_seed(random));
        if (HasFailure()) FAIL() << "kernel " << i;
    }
}

TEST(RtlIndexed, InLoops) {
    const config::Config config = config::load("small16");
    auto random = generator();
    for (const bool one_for_all : {false, true})
        check(looped_indexed_kernel(target::of(config), random, 7, one_for_all), config, random_seed(random));
}

// Up to 128 rows: eight for each DMA engine, or more than one packet of indices for a single engine.
TEST(RtlIndexed, OnTheFullCore) {
    auto random = generator();
    for (const std::uint32_t engines : {16u, 1u}) {
        config::Config config = config::load("trn1");
        if (engines == 1) config.name = "trn1 with one DMA engine";
        config.dma.engines = engines;
        check(looped_indexed_kernel(target::of(config), random, 2, false), config, {});
        check(random_indexed_kernel(target::of(config), random), config, random_seed(random));
        check(random_combined_kernel(target::of(config), random), config, random_seed(random));
        check(random_transposed_kernel(target::of(config), random), config, random_seed(random));
    }
}

// Makes a kernel that scatters rows to a table; several may go to the same row.
IndexedKernel scatter_of(const std::vector<std::int32_t>& indices) {
    IndexedKernel made;
    builder::KernelBuilder k("scatter", "", target::of(config::load("small16")));
    const auto partitions = static_cast<std::uint32_t>(indices.size());
    const auto x = k.tensor("x", neff::TensorKind::Input, isa::Dtype::U8, {partitions, 3});
    const auto at = k.tensor("at", neff::TensorKind::Input, isa::Dtype::I32, {partitions, 1});
    const auto u = k.tensor("u", neff::TensorKind::Update, isa::Dtype::U8, {4, 3});
    const auto q = k.queue("q");
    const builder::Tile index = k.sbuf(partitions, isa::Dtype::I32, {1}),
                        rows = k.sbuf(partitions, isa::Dtype::U8, {3});
    k.load(q, index, at);
    k.load(q, rows, x);
    k.scatter(q, u, rows, index);
    made.package = k.finish();
    made.inputs = {{"x", {}}, {"at", index_bytes(indices)}, {"u", Bytes(12, 200)}};
    for (std::uint32_t p = 0; p < partitions; ++p) {
        for (int i = 0; i < 3; ++i) made.inputs["x"].push_back(static_cast<std::uint8_t>(p));
    }
    return made;
}

// A row that several indices name gets the data of one of them; timing decides which.
TEST(RtlIndexed, RowsThatAreScatteredTwice) {
    const config::Config config = config::load("small16");
    const std::vector<std::int32_t> indices{2, 0, 2, 2, 0, 1};
    const IndexedKernel kernel = scatter_of(indices);
    std::set<std::uint8_t> left;
    for (std::uint32_t seed = 0; seed < 12; ++seed) {
        const Bytes u = run_on_rtl(kernel.package, config, arrays_of(kernel), {}, seed);
        ASSERT_EQ(u.size(), 12u);
        for (std::size_t row = 0; row < 4; ++row) {
            for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(u[row * 3 + i], u[row * 3]);
            if (row == 3) {
                EXPECT_EQ(u[9], 200);
            } else {
                EXPECT_EQ(indices.at(u[row * 3]), static_cast<std::int32_t>(row));
            }
        }
        left.insert(u[6]);
    }
    EXPECT_GE(left.size(), 2u);
}

TEST(RtlIndexed, AnIndexOutOfBoundsEndsTheRun) {
    const config::Config config = config::load("small16");
    const IndexedKernel kernel = scatter_of({2, 0, 4, 1});
    try {
        run_on_rtl(kernel.package, config, arrays_of(kernel));
        FAIL();
    } catch (const std::runtime_error& error) {
        const std::string text = error.what();
        EXPECT_TRUE(text.starts_with("chip 0, DMA engine 2, queue 'q', transfer 'scatter u[4, 3]' at "))
            << text;
        EXPECT_NE(text.find("rtl_indexed_test.cpp:"), std::string::npos) << text;
        EXPECT_TRUE(text.ends_with(": index 4 out of bounds, expected 0 to 3, at sbuf[2+0x0]")) << text;
        EXPECT_EQ(text.find('\n'), std::string::npos);
    }
}

}  // namespace
}  // namespace trnsim::test
