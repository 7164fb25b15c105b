// Compares the fast core in the whole system with the verilated one, for kernels on a small core.
#include <gtest/gtest.h>

#include "arch/target/target.hpp"
#include "common/random.hpp"
#include "compiler/builder/kernel_builder.hpp"
#include "testbench/parity/agreement.hpp"
#include "testbench/parity/comparison.hpp"
#include "testbench/parity/subjects.hpp"
#include "testbench/parity/system_parity.hpp"

namespace trnsim::test {
namespace {

using parity::Comparison;
using parity::Observation;
using parity::Subject;

class BuiltInParity : public ::testing::TestWithParam<const char*> {};

TEST_P(BuiltInParity, OnASmallCore) {
    expect_same(parity::kernel_of_text(config::load("small16"), GetParam(), seed()));
}

INSTANTIATE_TEST_SUITE_P(, BuiltInParity,
                         ::testing::ValuesIn(parity::small_kernels().begin(), parity::small_kernels().end()));

// Results of find_index8 that are written at half rate are still in the unit when match_replace8, which
// shares it, has its first element; this element enters with the last result. Its elements are read at half
// rate, so that a lost cycle stays lost.
TEST(KernelParity, ReplacementsAfterIndices) {
    constexpr std::uint32_t Partitions = 16, Columns = 100, Found = 8, Replaced = 11, Apart = 7;
    const config::Config config = config::load("small16");
    builder::KernelBuilder builder("match8", "", target::of(config));
    const builder::TensorView x =
        builder.tensor("x", neff::TensorKind::Input, isa::Dtype::Fp32, {Partitions, Columns});
    const builder::TensorView y =
        builder.tensor("y", neff::TensorKind::Output, isa::Dtype::Fp32, {Partitions, Replaced});
    const builder::Queue queue = builder.queue("queue", isa::Engine::Sync);
    const builder::Tile in = builder.sbuf(Partitions, isa::Dtype::Fp32, {Columns});
    const builder::Tile out = builder.sbuf(Partitions, isa::Dtype::Fp32, {Replaced});
    const builder::Tile values = builder.sbuf(Partitions, isa::Dtype::Fp32, {Found});
    builder::Tile places = builder.psum(builder::Bank{0}, Partitions, Found * Apart);
    places.dtype = isa::Dtype::U32;
    places.axes = {{Found, Apart}};
    builder::Tile spread = in;
    spread.axes = {{Replaced, Apart}};
    builder.load(queue, in, x);
    builder.load(queue, values, x.slice(1, 0, Found));
    builder.find_index8(places, in, values);
    builder.match_replace8(out, spread, values, 0.0F);
    builder.store(queue, y, out);
    expect_same(parity::subject_of("match8", config, builder.finish(), seed()));
}

// The interpreter's outputs are those of the core, and a single differing bit is reported.
TEST(Agreement, WithTheInterpreter) {
    for (const Subject& subject :
         {parity::kernel_of_text(config::load("small16"), "softmax rows=7 cols=9", seed()),
          parity::programs(config::load("small16"), seed(), 3, 5)}) {
        Observation observation = run_on(subject, true);
        EXPECT_EQ(parity::unlike_interpreter(subject, observation), 0u) << subject.name;
        observation.outputs.back() ^= 1;
        EXPECT_EQ(parity::unlike_interpreter(subject, observation), 1u) << subject.name;
        observation.outputs.pop_back();
        EXPECT_EQ(parity::unlike_interpreter(subject, observation), 1u) << subject.name;
        observation.outputs.resize(observation.outputs.size() + 3);
        EXPECT_GE(parity::unlike_interpreter(subject, observation), 2u) << subject.name;
    }
}

// Every difference is reported: another time, another byte, another count.
TEST(Comparison, TellsWhatDiffers) {
    Observation rtl;
    rtl.instructions[1] = {{0, 10, 20}, {1, 12, 110}};
    rtl.sbuf = {1, 2, 3};
    rtl.counted = {{"waits", 4}};
    Observation other = rtl;
    EXPECT_TRUE(parity::compare(rtl, other).same());
    other.instructions[1][1].completed = 111;
    other.sbuf[2] = 4;
    other.counted[0].value = 5;
    const Comparison found = parity::compare(rtl, parity::from_text(parity::to_text(other)));
    EXPECT_EQ(found.timing.differing, 1u);
    EXPECT_DOUBLE_EQ(found.timing.worst, 0.01);
    EXPECT_DOUBLE_EQ(found.timing.mean, 0.005);
    EXPECT_EQ(found.bytes,
              (std::vector<std::string>{"bytes of SBUF: 1 of 3 differ, the first at 2: 4, expected 3"}));
    EXPECT_EQ(found.counted, (std::vector<std::string>{"waits 5, expected 4"}));
    other.instructions[1].pop_back();
    EXPECT_EQ(parity::compare(rtl, other).runs.size(), 1u);
}

}  // namespace
}  // namespace trnsim::test
