// Tests beginnings of a program. The results of the search are tested on machines in tests/tools/regress.
#include "testbench/trial/lockstep.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "arch/target/target.hpp"
#include "common/stream_package.hpp"

namespace trnsim::trial {
namespace {

std::size_t instructions_of(const neff::Package& package) {
    std::size_t count = 0;
    for (const auto& program : package.programs) count += program.size();
    return count;
}

TEST(Lockstep, EveryBeginningIsAProgram) {
    for (const std::string kernel : {"layernorm", "softmax"}) {
        const Trial trial = make_trial(config::load("small16"), kernel, {{"rows", "20"}, {"cols", "8"}}, 1);
        const std::vector<Step> steps = steps_of(trial, {});
        EXPECT_EQ(steps.size(), instructions_of(trial.package));
        for (std::size_t count = 1; count <= steps.size(); ++count) {
            const Trial beginning = beginning_of(trial, std::span(steps).first(count));
            std::vector<std::string> races;  // reads of unwritten bytes are no error here
            EXPECT_NO_THROW(interpret(beginning, {.races = &races})) << kernel << " " << count;
            EXPECT_TRUE(races.empty()) << races.front();
        }
        const Contents all = interpret(trial), again = interpret(beginning_of(trial, steps));
        for (const auto& [name, bytes] : all) EXPECT_EQ(again.at(name), bytes);
    }
}

TEST(Lockstep, BeginningsHaveTheCommandsOfGpsimd) {
    const Trial trial = make_random_trial(config::load("small16"), "engines", {{"programs", "2"}}, 3);
    const std::vector<Step> steps = steps_of(trial, {});
    const auto is_command = [&trial](const Step& step) {
        const auto& program = trial.package.programs[static_cast<std::size_t>(step.engine)];
        return program[step.pc].opcode() == isa::Opcode::GpsimdCommand;
    };
    const auto first = std::ranges::find_if(steps, is_command);
    ASSERT_NE(first, steps.end());
    const auto count = static_cast<std::size_t>(first - steps.begin());
    for (const std::size_t end : {count, count + 1, steps.size()}) {
        const Trial beginning = beginning_of(trial, std::span(steps).first(end));
        std::vector<std::string> races;
        EXPECT_NO_THROW(interpret(beginning, {.races = &races})) << end;
        EXPECT_TRUE(races.empty()) << races.front();
    }
    EXPECT_EQ(interpret(beginning_of(trial, steps)).at("after"), interpret(trial).at("after"));
}

TEST(Lockstep, LoopsAreUnrolled) {
    const Trial trial = make_random_trial(config::load("small16"), "control", {{"programs", "1"}}, 2);
    const std::vector<Step> steps = steps_of(trial, {});
    const Trial whole = beginning_of(trial, steps);
    EXPECT_GT(steps.size(), instructions_of(trial.package));
    for (const auto& program : whole.package.programs) {
        for (const isa::Instruction& instruction : program)
            EXPECT_NE(instruction.opcode(), isa::Opcode::Branch);
    }
}

TEST(Lockstep, TransfersInLoopsAreUnrolled) {
    const config::Config config = config::load("small16");
    const Trial trial = make_trial(config, test::stream_package(target::of(config), {.tiles = 5}), 1);
    const std::vector<Step> steps = steps_of(trial, {});
    for (std::size_t count = 1; count <= steps.size(); ++count) {
        std::vector<std::string> races;
        EXPECT_NO_THROW(interpret(beginning_of(trial, std::span(steps).first(count)), {.races = &races}));
        EXPECT_TRUE(races.empty()) << races.front();
    }
    const Trial whole = beginning_of(trial, steps);
    EXPECT_EQ(whole.package.transfers.size(), 10U);
    EXPECT_EQ(interpret(whole).at("y"), interpret(trial).at("y"));
}

TEST(Lockstep, ValuesAreShownBesideBits) {
    EXPECT_EQ(describe(isa::Dtype::Fp32, 0x3f800001), "0x3f800001 (1.00000012)");
    EXPECT_EQ(describe(isa::Dtype::Bf16, 0xc040), "0xc040 (-3)");
    EXPECT_EQ(describe(isa::Dtype::I8, 0xff), "0xff (-1)");
    EXPECT_EQ(describe(isa::Dtype::U16, 0xff00), "0xff00 (65280)");
    EXPECT_EQ(describe(isa::Dtype::I32, 0x80000000), "0x80000000 (-2147483648)");
    EXPECT_EQ(describe(isa::Dtype::Fp32, 0xff800000), "0xff800000 (-inf)");
}

}  // namespace
}  // namespace trnsim::trial
