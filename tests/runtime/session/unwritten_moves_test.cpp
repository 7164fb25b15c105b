// Finds transfers of bytes that a kernel never writes, and none in kernels that the interpreter accepts.
#include "runtime/session/unwritten_moves.hpp"

#include <gtest/gtest.h>

#include "arch/config/config.hpp"
#include "arch/target/target.hpp"
#include "compiler/builder/kernel_builder.hpp"
#include "compiler/kernels/registry.hpp"

namespace trnsim::runtime {
namespace {

using isa::Dtype;
using neff::TensorKind;

target::Chip small16() {
    return target::of(config::load("small16"));
}

bool ends(const std::string& text, const std::string& end) {
    return text.ends_with(end);
}

TEST(UnwrittenMoves, ATileThatNothingWrites) {
    builder::KernelBuilder k("store", "", small16());
    const auto y = k.tensor("y", TensorKind::Output, Dtype::Fp32, {16, 64});
    const builder::Tile tile = k.sbuf(16, Dtype::Fp32, {64});
    k.memset(tile.slice(0, 0, 63), 1.0f);
    k.store(k.queue("q"), y, tile);
    const auto lines = unwritten_moves(k.finish());
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0].find("transfer 0 'store y"), 0u) << lines[0];
    EXPECT_TRUE(ends(lines[0], ": moves sbuf[0+0xfc], which nothing has written")) << lines[0];
}

TEST(UnwrittenMoves, ATensorThatNothingWrites) {
    builder::KernelBuilder k("load", "", small16());
    const auto s = k.tensor("s", TensorKind::Scratch, Dtype::Fp32, {16, 4});
    const auto y = k.tensor("y", TensorKind::Output, Dtype::Fp32, {16, 4});
    const builder::Tile tile = k.sbuf(16, Dtype::Fp32, {4});
    const auto q = k.queue("q");
    k.load(q, tile, s);
    k.combine(q, y, isa::AluOp::Add, tile);
    const auto lines = unwritten_moves(k.finish());
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_TRUE(ends(lines[0], ": moves s [0, 0], which nothing has written")) << lines[0];
    EXPECT_TRUE(ends(lines[1], ": combines with y [0, 0], which nothing has written")) << lines[1];
}

TEST(UnwrittenMoves, NothingInSoundKernels) {
    const std::map<std::string, std::map<std::string, std::string>> kernels{
        {"matmul", {{"M", "40"}, {"K", "50"}, {"N", "70"}}},
        {"softmax", {{"rows", "20"}, {"cols", "33"}}},
        {"layernorm", {{"rows", "20"}, {"cols", "33"}}},
        {"adamw", {{"n", "100"}}},
        {"embedding", {{"vocabulary", "30"}, {"rows", "20"}, {"dim", "8"}}}};
    for (const auto& [kernel, arguments] : kernels)
        EXPECT_EQ(unwritten_moves(kernels::build_kernel(kernel, arguments, small16())),
                  std::vector<std::string>())
            << kernel;
}

}  // namespace
}  // namespace trnsim::runtime
