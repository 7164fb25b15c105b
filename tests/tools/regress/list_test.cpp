// Tests the reading of lists. Every rule has a bad file in the folder `bad`.
#include "tools/regress/list.hpp"

#include "arch/target/target.hpp"
#include "base/files/files.hpp"
#include "common/bad_files.hpp"
#include "common/temporary_directory.hpp"
#include "compiler/kernels/registry.hpp"
#include "compiler/neff/neff.hpp"
#include "testbench/coverage/plan.hpp"

namespace trnsim::regress {
namespace {

const std::filesystem::path Configs = TRNSIM_CONFIGS;

TEST(BadLists, SayWhatWhereAndWhatWasExpectedForEveryRule) {
    const std::set<std::string> broken = test::refused(TRNSIM_BAD_LISTS, read_list);
    for (const std::string_view rule : all_rules()) {
        if (rule == "cases") continue;  // takes 100,000 tests
        EXPECT_TRUE(broken.contains(std::string(rule))) << "no file breaks: " << rule;
    }
}

List read(const std::string& text) {
    const test::TemporaryDirectory folder;
    files::write(folder / "l.yaml", text);
    return read_list(folder / "l.yaml");
}

TEST(RegressionList, CrossesArgumentsConfigsSeedsAndRoundings) {
    const List list = read(
        "config: [small16, small8]\n"
        "tests:\n"
        "  - kernel: matmul\n"
        "    arguments: { M: [1, 2], K: 3, N: [4, 5], dtype: bf16 }\n"
        "    seed: [1, 2, 3]\n"
        "    rounding: [nearest, stochastic]\n");
    ASSERT_EQ(list.cases.size(), 2u * 2 * 2 * 3 * 2);
    EXPECT_EQ(list.cases[0].id, "matmul/M=1,K=3,N=4,dtype=bf16/small16/seed=1/nearest");
    EXPECT_EQ(list.cases[1].id, "matmul/M=1,K=3,N=4,dtype=bf16/small16/seed=1/stochastic");
    EXPECT_EQ(list.cases.back().id, "matmul/M=2,K=3,N=5,dtype=bf16/small8/seed=3/stochastic");
    EXPECT_TRUE(list.cases[1].stochastic);
    EXPECT_EQ(list.configs.size(), 2u);
}

TEST(RegressionList, TestsSayMoreThanTheirList) {
    const List list = read(
        "config: small16\ntags: all\ntime_limit: 5 s\nmax_time: 3 ms\nseed: 7\n"
        "tests:\n"
        "  - { kernel: gelu, arguments: { rows: 1, cols: 1 } }\n"
        "  - { kernel: gelu, arguments: { rows: 0, cols: 1 }, expect: whole number from 1, tags: [bad], "
        "time_limit: 9 "
        "s, seed: 8 }\n");
    ASSERT_EQ(list.cases.size(), 2u);
    EXPECT_EQ(list.cases[0].tags, std::vector<std::string>{"all"});
    EXPECT_EQ(list.cases[0].expect, "");
    EXPECT_EQ(list.cases[0].time_limit, 5);
    EXPECT_EQ(list.cases[0].max_time, 3'000'000'000'000u);
    EXPECT_EQ(list.cases[0].seed, 7u);
    EXPECT_EQ(list.cases[1].tags, (std::vector<std::string>{"all", "bad"}));
    EXPECT_EQ(list.cases[1].expect, "whole number from 1");
    EXPECT_EQ(list.cases[1].time_limit, 9);
    EXPECT_EQ(list.cases[1].seed, 8u);
    EXPECT_EQ(list.cases[1].place.line, 8);
}

TEST(RegressionList, RandomProgramsStandBesideKernels) {
    const List list =
        read("config: small16\ncoverage: " TRNSIM_CONFIGS
             "/coverage/plan.yaml\n"
             "coverage_minimum: 12.5 %\n"
             "tests:\n"
             "  - { program: engines, arguments: { programs: [1, 2] }, seed: [1, 2] }\n"
             "  - { program: engines, arguments: { programs: 1 }, aim: [casts, matmul shapes] }\n"
             "  - { program: engines, arguments: { programs: 1 }, aim: all }\n");
    ASSERT_EQ(list.cases.size(), 6u);
    EXPECT_EQ(list.cases[0].id, "engines/programs=1/small16/seed=1/nearest");
    EXPECT_TRUE(list.cases[0].random);
    EXPECT_FALSE(list.cases[0].aim);
    EXPECT_EQ(list.cases[4].id, "engines/programs=1,aim=casts+matmul shapes/small16/seed=1/nearest");
    EXPECT_EQ(list.cases[4].aim->groups.size(), 2u);
    EXPECT_GT(list.cases[5].aim->groups.size(), 30u);
    EXPECT_EQ(list.coverage_minimum, 12.5);
}

TEST(RegressionList, KernelsThatAreNotBuiltIn) {
    const test::TemporaryDirectory folder;
    const target::Core target = target::of(config::load("small16"));
    neff::write(folder / "conv.neff", kernels::build_kernel("cast", {{"rows", "4"}, {"cols", "5"}}, target));
    files::write(folder / "gen", "#!/bin/sh\n");
    std::filesystem::permissions(folder / "gen", std::filesystem::perms::owner_all);
    const auto write = [&](const std::string& tests) {
        files::write(folder / "l.yaml", "config: small16\ntests:\n" + tests);
        return folder / "l.yaml";
    };
    const List list =
        read_list(write("  - { neff: conv.neff, seed: [1, 2] }\n  - { program: [./gen, --size, 64] }\n"));
    ASSERT_EQ(list.cases.size(), 3u);
    EXPECT_EQ(list.cases[1].id, "conv/rows=4,cols=5,dtype=bf16/small16/seed=2/nearest");
    EXPECT_EQ(list.cases[2].id, "gen/--size,64/small16/seed=1/nearest");
    EXPECT_TRUE(list.cases[2].own->is_program());
    EXPECT_FALSE(list.cases[2].random);
    EXPECT_EQ(test::message_of<config::Error>(
                  [&] { read_list(write("  - { neff: conv.neff, config: small8 }\n")); }),
              (folder / "l.yaml").string() + ":3:13: neff: " + (folder / "conv.neff").string() +
                  " is not built for configuration 'small8'");
    EXPECT_EQ(
        read_list(write("  - { neff: conv.neff, config: small8, expect: kernel 'cast' }\n")).cases.size(),
        1u);
}

TEST(RegressionList, EachSeedOfDelaysIsATest) {
    const List list = read(
        "config: small16\nperturb: [none, 7]\n"
        "tests:\n"
        "  - { kernel: gelu, arguments: { rows: 1, cols: 1 } }\n"
        "  - { kernel: gelu, arguments: { rows: 1, cols: 2 }, perturb: 0 }\n");
    ASSERT_EQ(list.cases.size(), 3u);
    EXPECT_EQ(list.cases[0].id, "gelu/rows=1,cols=1/small16/seed=1/nearest");
    EXPECT_FALSE(list.cases[0].perturb);
    EXPECT_EQ(list.cases[1].id, "gelu/rows=1,cols=1/small16/seed=1/nearest/perturb=7");
    EXPECT_EQ(list.cases[1].perturb, 7u);
    EXPECT_EQ(list.cases[2].perturb, 0u);
}

TEST(RegressionList, TagsSelect) {
    List list = read(
        "config: small16\n"
        "tests:\n"
        "  - { kernel: gelu, arguments: { rows: 1, cols: 1 }, tags: [a, b] }\n"
        "  - { kernel: gelu, arguments: { rows: 1, cols: 2 }, tags: c }\n");
    List none = list;
    select(none, {});
    EXPECT_EQ(none.cases.size(), 2u);
    const std::vector<std::string> tags{"b"}, unknown{"x"};
    EXPECT_THROW(select(none, unknown), std::runtime_error);
    select(list, tags);
    ASSERT_EQ(list.cases.size(), 1u);
    EXPECT_EQ(list.cases[0].arguments.at("cols"), "1");
}

TEST(RegressionList, ShippedListsHaveEveryKernel) {
    for (const char* name : {"quick", "full"}) {
        const List list = read_list(Configs / "regressions" / (std::string(name) + ".yaml"));
        for (const kernels::Kernel& kernel : kernels::kernels()) {
            EXPECT_TRUE(std::ranges::any_of(
                list.cases,
                [&](const Case& one) { return one.subject == kernel.name && one.expect.empty(); }))
                << name << " " << kernel.name;
        }
    }
}

}  // namespace
}  // namespace trnsim::regress
