// Compares kernels with random inputs with the interpreter, and tests the differences found.
#include "testbench/trial/trial.hpp"

#include <gtest/gtest.h>

#include "arch/target/target.hpp"
#include "common/stream_package.hpp"
#include "compiler/kernels/arguments.hpp"
#include "runtime/loader/tensor_io.hpp"

namespace trnsim::trial {
namespace {

// Returns outputs in the form in which a machine returns them.
runtime::Arrays arrays(const neff::Package& package, const Contents& contents) {
    runtime::Arrays arrays;
    for (const neff::Tensor& tensor : package.tensors) {
        const auto found = contents.find(tensor.name);
        if (found != contents.end()) arrays.emplace(tensor.name, loader::from_device(tensor, found->second));
    }
    return arrays;
}

TEST(Trial, NoticesOneWrongBit) {
    const Trial trial =
        make_trial(config::load("small16"), "matmul", {{"M", "5"}, {"K", "6"}, {"N", "7"}}, 1);
    const Contents expected = interpret(trial);
    runtime::Arrays outputs = arrays(trial.package, expected);
    EXPECT_TRUE(differences(trial.package, expected, outputs).empty());
    outputs.at("c").data[41] ^= 1;
    auto found = differences(trial.package, expected, outputs);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].elements, std::vector<std::size_t>{10});
    EXPECT_TRUE(
        describe(trial.package, found[0])
            .starts_with("output c: 1 of 35 elements differ from the interpreter's, first [1, 3]: 0x"));
    outputs.at("c").data.resize(100);
    found = differences(trial.package, expected, outputs);
    EXPECT_EQ(found[0].elements.size(), 11u);
    outputs.clear();
    EXPECT_EQ(differences(trial.package, expected, outputs)[0].elements.size(), 35u);
}

TEST(Trial, AWrongElementNamesTheIterationThatWroteIt) {
    const config::Config config = config::load("small16");
    const Trial trial = make_trial(config, test::stream_package(target::of(config)), 1);
    const Contents expected = interpret(trial);
    runtime::Arrays outputs = arrays(trial.package, expected);
    outputs.at("y").data[4 * (37 * 13 * 5 + 13 * 20 + 3)] ^= 1;  // partition 5, tile 20
    const auto found = differences(trial.package, expected, outputs);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_TRUE(
        describe(trial.package, found[0]).ends_with("; written by transfer 1 'store y' in iteration 20"))
        << describe(trial.package, found[0]);
}

TEST(Trial, TheInterpreterRoundsAsTheRun) {
    const Trial trial = make_trial(config::load("small16"), "cast", {{"rows", "16"}, {"cols", "16"}}, 1);
    const runtime::Arrays outputs = arrays(trial.package, interpret(trial, {.rounding = {true, 5}}));
    const auto right = [&](const functional::Options& options) {
        return differences(trial.package, interpret(trial, options), outputs).empty();
    };
    EXPECT_TRUE(right({.rounding = {true, 5}}));
    EXPECT_FALSE(right({.rounding = {true, 6}}));
    EXPECT_FALSE(right({}));
}

TEST(Trial, RandomProgramsFollowFromTheSeed) {
    const auto package = [](std::uint64_t seed) {
        return make_random_trial(config::load("small16"), "control", {{"programs", "2"}}, seed).package;
    };
    EXPECT_EQ(package(1).programs, package(1).programs);
    EXPECT_NE(package(1).programs, package(2).programs);
    EXPECT_THROW(make_random_trial(config::load("small16"), "engines", {{"programs", "1001"}}, 1),
                 kernels::ArgumentError);
}

}  // namespace
}  // namespace trnsim::trial
