// Tests the arguments that kernels refuse: at once, in one line that names the argument, its value and what
// was expected.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>

#include "arch/target/target.hpp"
#include "common/temporary_directory.hpp"
#include "compiler/builder/error.hpp"
#include "compiler/kernels/registry.hpp"
#include "compiler/neff/neff.hpp"

namespace trnsim::kernels {
namespace {

using Given = std::map<std::string, std::string>;

// Returns arguments that every kernel takes, except for `changed`.
Given arguments_of(const Kernel& kernel, const Given& changed) {
    Given given;
    for (const ArgumentInfo& info : kernel.arguments) {
        if (info.fallback.empty()) given[std::string(info.name)] = "8";
    }
    for (const auto& [name, value] : changed) given[name] = value;
    return given;
}

std::string refusal(const Kernel& kernel, const Given& changed) {
    static const target::Chip target = target::of(config::load("trn1"));
    return test::message_of<ArgumentError>(
        [&] { build_kernel(kernel.name, arguments_of(kernel, changed), target); });
}

TEST(Arguments, NamesOfNeuronAreKnown) {
    const target::Chip target = target::of(config::load("small16"));
    const auto ours = build_kernel("matmul", {{"M", "4"}, {"K", "4"}, {"N", "4"}, {"dtype", "fp32"}}, target);
    const auto theirs =
        build_kernel("nc_matmul", {{"M", "4"}, {"K", "4"}, {"N", "4"}, {"dtype", "float32"}}, target);
    EXPECT_EQ(neff::serialise(theirs), neff::serialise(ours));
    EXPECT_EQ(theirs.arguments, "M=4 K=4 N=4 dtype=fp32");
    EXPECT_THROW(build_kernel("matmul", {{"M", "4"}, {"K", "4"}, {"N", "4"}, {"dtype", "bfloat"}}, target),
                 ArgumentError);
}

TEST(Arguments, RangesOfAdamw) {
    struct Case {
        Given changed;
        const char* message;
    };
    const Case cases[] = {
        {{{"beta1", "1"}}, "beta1 = '1': expected 0 or a number from 1.17549e-38 below 1"},
        {{{"beta2", "1"}}, "beta2 = '1': expected 0 or a number from 1.17549e-38 below 1"},
        {{{"beta2", "1.5"}}, "beta2 = '1.5': expected 0 or a number from 1.17549e-38 below 1"},
        {{{"beta1", "-0.1"}}, "beta1 = '-0.1': expected 0 or a number from 1.17549e-38 below 1"},
        {{{"beta1", "nan"}}, "beta1 = 'nan': expected 0 or a number from 1.17549e-38 below 1"},
        {{{"eps", "nan"}}, "eps = 'nan': expected 0 or a number from 1.17549e-38 up to 3.40282e+38"},
        {{{"eps", "1e-60"}}, "eps = '1e-60': expected 0 or a number from 1.17549e-38 up to 3.40282e+38"},
        {{{"lr", "inf"}}, "lr = 'inf': expected 0 or a number from 1.17549e-38 up to 3.40282e+38"},
        {{{"lr", "1e39"}}, "lr = '1e39': expected 0 or a number from 1.17549e-38 up to 3.40282e+38"},
        {{{"lr", "3e38"}, {"beta1", "0.9"}}, "lr = '3e38': expected lr / (1 - beta1^step) that fp32 holds"},
        {{{"lr", "1e20"}, {"weight_decay", "1e20"}},
         "weight_decay = '1e20': expected lr weight_decay that fp32 holds"},
        {{{"step", "0"}}, "step = '0': expected a whole number from 1 to 16777216"},
        {{{"n", "0"}}, "n = '0': expected a whole number from 1 to 16777216"},
    };
    for (const Case& c : cases)
        EXPECT_EQ(refusal(find_kernel("adamw"), c.changed), fmt::format("adamw: {}", c.message));
    for (const Given& good : {Given{{"beta1", "0"}, {"beta2", "0"}}, Given{{"eps", "0"}},
                              Given{{"beta1", "0.999999"}, {"beta2", "0.9999999"}, {"step", "16777216"}}}) {
        EXPECT_EQ(refusal(find_kernel("adamw"), good), "");
    }
}

// Every kernel refuses empty values, words, negative numbers, and numbers that fp32 does not hold.
TEST(Arguments, EveryKernelRefusesWhatMeansNothing) {
    for (const Kernel& kernel : kernels()) {
        EXPECT_EQ(refusal(kernel, {}), "") << kernel.name;
        for (const ArgumentInfo& info : kernel.arguments) {
            const std::string name(info.name);
            for (const char* value : {"", "nan", "-1", "1e999", "none"}) {
                const std::string message = refusal(kernel, {{name, value}});
                EXPECT_TRUE(
                    message.starts_with(fmt::format("{}: {} = '{}': expected ", kernel.name, name, value)))
                    << message;
            }
            if (info.kind == ArgumentKind::Count) {
                EXPECT_EQ(refusal(kernel, {{name, "0"}}),
                          fmt::format("{}: {} = '0': expected a whole number from 1 to 16777216", kernel.name,
                                      name));
            }
        }
    }
    EXPECT_EQ(refusal(find_kernel("transformer_block"), {{"heads", "3"}}),
              "transformer_block: heads = '3': expected a divisor of width 8");
}

std::string too_large(const std::string& kernel, const Given& given) {
    static const target::Chip target = target::of(config::load("trn1"));
    return test::message_of<builder::Error>([&] { build_kernel(kernel, given, target); });
}

// Returns how each kernel is refused with its sizes at their largest.
std::map<std::string, std::string> refusals_of_largest() {
    std::map<std::string, std::string> refusals;
    for (const Kernel& kernel : kernels()) {
        if (kernel.name == "adamw") continue;  // its only size fits even at its largest value
        Given given;
        for (const ArgumentInfo& info : kernel.arguments)
            if (info.fallback.empty()) given[std::string(info.name)] = "16777216";
        std::string name(kernel.name);
        refusals[name] = too_large(name, given);
    }
    return refusals;
}

TEST(Arguments, WhatIsLargerThanHbmIsRefused) {
    EXPECT_EQ(
        too_large("matmul", {{"M", "100000"}, {"K", "100000"}, {"N", "100000"}}),
        "tensor 'a' of 100000x100000 bf16 takes 20000000000 bytes, those before it 0: HBM has 34359738368 "
        "bytes, 17179869184 for one tensor");
    EXPECT_EQ(too_large("matmul", {{"M", "90000"}, {"K", "90000"}, {"N", "90000"}}),
              "tensor 'c' of 90000x90000 fp32 takes 32400000000 bytes, those before it 32400000000: HBM has "
              "34359738368 bytes, 17179869184 for one tensor");
    for (const auto& [kernel, message] : refusals_of_largest())
        EXPECT_NE(message.find("HBM has 34359738368 bytes"), std::string::npos) << kernel << ": " << message;
}

TEST(Arguments, WhatIsLargerThanHbmIsRefusedAtOnceInWallTime) {
    const auto begin = std::chrono::steady_clock::now();
    const std::size_t kernels = refusals_of_largest().size();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, kernels * std::chrono::seconds(2));
}

TEST(Arguments, MoreInstructionsThanAHostCanHandleAreRefused) {
    target::Chip target = target::of(config::load("trn1"));
    target.max_instructions = 1000;
    const auto message = [&](const char* seq) {
        return test::message_of<builder::Error>([&] {
            build_kernel("attention", {{"seq", seq}, {"dim", "64"}}, target);
        });
    };
    EXPECT_EQ(message("128"), "");
    EXPECT_EQ(message("100000"), "kernel 'attention' has more than 1000 instructions");
}

}  // namespace
}  // namespace trnsim::kernels
