#include "tools/sweep/plan.hpp"

#include <gtest/gtest.h>

#include <set>

#include "arch/target/target.hpp"
#include "base/files/files.hpp"
#include "common/temporary_directory.hpp"
#include "compiler/kernels/registry.hpp"
#include "compiler/neff/neff.hpp"
#include "tools/sweep/store.hpp"

namespace trnsim::sweep {
namespace {

// Makes the plan of a sweep over small16, with one small matmul unless `kernels` says otherwise.
Plan plan_of(const std::string& text, const std::string& kernels = "[matmul: { M: 8, K: 8, N: 8 }]") {
    const test::TemporaryDirectory folder;
    files::write(folder / "s.yaml", "base: small16\nkernels: " + kernels + "\n" + text);
    return make_plan(read_sweep(folder / "s.yaml"));
}

// Returns the texts of a variable, point by point, with "-" if a point has none.
std::string column(const Plan& plan, const std::string& name) {
    std::string text;
    for (std::size_t v = 0; v < plan.variables.size(); ++v) {
        if (plan.variables[v].name != name) continue;
        for (const Point& point : plan.points)
            text +=
                (text.empty() ? "" : " ") + (point.settings[v].text.empty() ? "-" : point.settings[v].text);
    }
    return text;
}

TEST(Plan, CrossesAxesTheLastFastest) {
    const Plan plan = plan_of("axes:\n  - dma.engines: [1, 2]\n  - dma.rings: [16, 8, 4]\n");
    EXPECT_EQ(column(plan, "dma.engines"), "1 1 1 2 2 2");
    EXPECT_EQ(column(plan, "dma.rings"), "16 8 4 16 8 4");
    EXPECT_EQ(plan.points[5].config.dma.engines, 2u);
    EXPECT_EQ(plan.points[5].config.dma.rings, 4u);
}

TEST(Plan, ZippedAxesAdvanceTogether) {
    const Plan plan = plan_of(
        "axes:\n  - zip: { core.array.rows: [4, 8], core.array.columns: [8, 16] }\n  - dma.engines: [1, "
        "2]\n");
    EXPECT_EQ(column(plan, "core.array.rows"), "4 4 8 8");
    EXPECT_EQ(column(plan, "core.array.columns"), "8 8 16 16");
    EXPECT_EQ(column(plan, "dma.engines"), "1 2 1 2");
}

TEST(Plan, Servers) {
    const Plan plan = plan_of(
        "server: trn1-4\naxes:\n  - server: [trn1-4, trn1.32xlarge]\n  - links.lanes: { from: 8, to: 16, "
        "factor: 2 "
        "}\n  - hbm.bandwidth: [100 GB/s]\nfilter: links.lanes * links.lane_rate > 30 GB/s or server == "
        "'trn1-4'\n");
    EXPECT_EQ(column(plan, "server"), "trn1-4 trn1-4 trn1.32xlarge");
    EXPECT_EQ(column(plan, "links.lanes"), "8 16 16");
    const Point& last = plan.points.back();
    ASSERT_TRUE(last.server);
    EXPECT_EQ(last.server->chips(), 16u);
    EXPECT_EQ(last.server->links.lanes, 16u);
    EXPECT_EQ(last.server->chip.hbm.bandwidth, 100'000'000'000u);
    EXPECT_EQ(last.settings[1].number, 16.0);
    EXPECT_EQ(plan.variables[1].source, "server");
    EXPECT_EQ(plan.variables[1].base, "16");
    EXPECT_FALSE(plan_of("").points[0].server);
}

// Values that do not fit together make a point impossible, but not the sweep.
TEST(Plan, ServersThatCannotBe) {
    const Plan plan = plan_of(
        "server: trn1-4\naxes:\n  - server: [trn1-4, trn1.32xlarge]\n  - topology: [torus 2x2, ring 16]\n"
        "  - links.lanes: [16, 2]\n  - links.retry_time: [2 us, 10 us]\n");
    std::string broken;  // the key of the broken rule, point by point
    for (const Point& point : plan.points) {
        const bool of_topology = point.impossible.find("topology: found") != std::string::npos;
        const bool of_time = point.impossible.find("links.retry_time: found '2 us'") != std::string::npos;
        broken += of_topology ? "t" : of_time ? "r" : point.impossible.empty() ? "-" : "?";
    }
    EXPECT_EQ(broken, "--r-tttttttt--r-");
}

// Another link or another server makes another point.
TEST(Plan, IdentitiesOfServers) {
    const test::TemporaryDirectory folder;
    files::write(
        folder / "s.yaml",
        "base: small16\nserver: trn1-4\nkernels: [matmul: { M: 8, K: 8, N: 8 }]\naxes:\n  - server: [trn1-4, "
        "trn1.32xlarge]\n  - links.lanes: [8, 16]\n  - topology: [ring 4, torus 2x2]\n");
    const Sweep sweep = read_sweep(folder / "s.yaml");
    std::set<std::string> identities;
    std::size_t possible = 0;
    for (const Point& point : make_plan(sweep).points) {
        if (!point.impossible.empty()) continue;
        ++possible;
        identities.insert(identity(sweep, point));
    }
    EXPECT_GE(possible, 4u);
    EXPECT_EQ(identities.size(), possible);
}

TEST(Plan, Ranges) {
    const auto values = [](const std::string& key, const std::string& range) {
        return column(plan_of("axes:\n  - " + key + ": " + range + "\n"), key);
    };
    EXPECT_EQ(values("dma.engines", "{ from: 1, to: 8, step: 3 }"), "1 4 7");
    EXPECT_EQ(values("dma.engines", "{ from: 2, to: 2, step: 3 }"), "2");
    EXPECT_EQ(values("dma.engines", "{ from: 1, to: 16, factor: 2 }"), "1 2 4 8 16");
    EXPECT_EQ(values("dma.engines", "{ from: 1, to: 4, factor: 1.2 }"), "1 2 3 4");
    EXPECT_EQ(values("hbm.bandwidth", "{ from: 100 GB/s, to: 0.2 TB/s, points: 3 }"),
              "100 GB/s 150 GB/s 200 GB/s");
    EXPECT_EQ(values("hbm.bandwidth", "{ from: 50 GB/s, to: 800 GB/s, points: 5, scale: log }"),
              "50 GB/s 100 GB/s 200 GB/s 400 GB/s 800 GB/s");
    EXPECT_EQ(values("fabric.latency", "{ from: 0 ns, to: 20 ns, step: 10 ns }"), "0 fs 10 ns 20 ns");
    EXPECT_EQ(values("kernel.M", "{ from: 16, to: 64, factor: 2 }"), "16 32 64");
}

TEST(Plan, FidelityIsASettingAndAnAxis) {
    using enum runtime::Fidelity;
    EXPECT_EQ(plan_of("").points[0].fidelity, Rtl);
    EXPECT_EQ(plan_of("fidelity: fast\n").points[0].fidelity, Fast);
    const Plan plan = plan_of("fidelity: fast\naxes:\n  - fidelity: [rtl, fast]\n");
    EXPECT_EQ(column(plan, "fidelity"), "rtl fast");
    EXPECT_EQ(plan.points[0].fidelity, Rtl);
    EXPECT_EQ(plan.points[1].fidelity, Fast);
    EXPECT_EQ(plan.variables[0].base, "fast");
    EXPECT_EQ(plan_of("axes:\n  - fidelity: [rtl, fast]\nfilter: fidelity == 'fast'\n").filtered, 1u);
}

TEST(Plan, RoundingIsASettingAndAnAxis) {
    EXPECT_FALSE(plan_of("").points[0].stochastic);
    EXPECT_TRUE(plan_of("rounding: stochastic\n").points[0].stochastic);
    EXPECT_FALSE(plan_of("").points[0].perturb);
    EXPECT_EQ(plan_of("perturb: 7\n").points[0].perturb, 7u);
    const Plan perturbed = plan_of("perturb: 7\naxes:\n  - perturb: [none, 0, 9]\n");
    EXPECT_EQ(column(perturbed, "perturb"), "none 0 9");
    EXPECT_FALSE(perturbed.points[0].perturb);
    EXPECT_EQ(perturbed.points[1].perturb, 0u);
    EXPECT_EQ(perturbed.points[2].perturb, 9u);
    const Plan plan = plan_of("rounding: stochastic\naxes:\n  - rounding: [nearest, stochastic]\n");
    EXPECT_EQ(column(plan, "rounding"), "nearest stochastic");
    EXPECT_FALSE(plan.points[0].stochastic);
    EXPECT_TRUE(plan.points[1].stochastic);
    EXPECT_EQ(plan_of("axes:\n  - rounding: [nearest, stochastic]\nfilter: rounding == 'nearest'\n").filtered,
              1u);
}

TEST(Plan, KernelsThatAreNotBuiltIn) {
    const test::TemporaryDirectory folder;
    neff::write(folder / "conv.neff", kernels::build_kernel("cast", {{"rows", "4"}, {"cols", "5"}},
                                                            target::of(config::load("small16"))));
    files::write(folder / "gen", "#!/bin/sh\n");
    std::filesystem::permissions(folder / "gen", std::filesystem::perms::owner_all);
    files::write(folder / "s.yaml",
                 "base: small16\nkernels:\n  - neff: conv.neff\n  - program: [./gen, --size, 64]\n"
                 "  - cast: { rows: 4, cols: 5 }\naxes:\n  - dma.engines: [1, 2]\n");
    const Sweep sweep = read_sweep(folder / "s.yaml");
    const Plan plan = make_plan(sweep);
    EXPECT_EQ(column(plan, "kernel"), "conv conv gen gen cast cast");
    EXPECT_EQ(plan.points[0].argument_text, "rows=4 cols=5 dtype=bf16");
    EXPECT_EQ(plan.points[2].argument_text, "--size 64");
    EXPECT_FALSE(plan.points[0].own->is_program());
    EXPECT_EQ(plan.points[2].own->words, (std::vector<std::string>{"./gen", "--size", "64"}));
    EXPECT_EQ(plan.points[4].own, nullptr);
    const Origin before = origin_of("core", plan.points[2].own.get());
    files::write(folder / "gen", "#!/bin/sh\nexit 1\n");
    EXPECT_EQ(difference(before, origin_of("core", plan.points[2].own.get())), "another kernel");
    EXPECT_EQ(difference(before, before), "");
    EXPECT_NE(identity(sweep, plan.points[0]), identity(sweep, plan.points[4]));
}

TEST(Plan, BaseIsAnAxisToo) {
    const Plan plan = plan_of("axes:\n  - base: [small8, small32]\n  - dma.engines: [1, 2]\n");
    EXPECT_EQ(column(plan, "base"), "small8 small8 small32 small32");
    EXPECT_EQ(plan.points[0].config.core.array.rows, 8u);
    EXPECT_EQ(plan.points[3].config.core.array.rows, 32u);
    EXPECT_EQ(plan.points[3].config.dma.engines, 2u);
}

TEST(Plan, KernelsAndTheirArguments) {
    const Plan plan = plan_of("axes:\n  - kernel.dtype: [bf16, fp32]\n",
                              "[matmul: { M: [8, 16], K: 8, N: 8 }, softmax: { rows: 4, cols: 4 }]");
    EXPECT_EQ(column(plan, "kernel"), "matmul matmul matmul matmul softmax softmax");
    EXPECT_EQ(column(plan, "kernel.dtype"), "bf16 fp32 bf16 fp32 bf16 fp32");
    EXPECT_EQ(column(plan, "kernel.M"), "8 8 16 16 - -");
    EXPECT_EQ(column(plan, "kernel.K"), "") << "does not vary";
    EXPECT_EQ(plan.points[3].argument_text, "M=16 K=8 N=8 dtype=fp32");
}

// A label names a case in filters and results, and has no influence on what runs.
TEST(Plan, Labels) {
    const std::string kernels =
        "[matmul: { label: fc 1, M: 8, K: 8, N: [8, 16] }, matmul: { M: 8, K: 16, N: 8 }]";
    const Plan plan = plan_of("", kernels);
    EXPECT_EQ(column(plan, "label"), "fc 1 fc 1 -");
    EXPECT_EQ(plan.points[0].label, "fc 1");
    EXPECT_EQ(plan.points[0].argument_text, "M=8 K=8 N=8 dtype=bf16");
    EXPECT_EQ(plan_of("filter: label == 'fc 1'\n", kernels).points.size(), 2u);
    EXPECT_EQ(column(plan_of("", "[matmul: { M: 8, K: 8, N: 8 }]"), "label"), "");
    const test::TemporaryDirectory folder;
    const auto identities = [&](const std::string& label) {
        files::write(folder / "s.yaml",
                     "base: small16\nkernels: [matmul: { " + label + "M: 8, K: 8, N: 8 }]\n");
        const Sweep sweep = read_sweep(folder / "s.yaml");
        return identity(sweep, make_plan(sweep).points.front());
    };
    EXPECT_EQ(identities("label: a, "), identities(""));
}

TEST(Plan, Filters) {
    const std::string axes = "axes:\n  - dma.engines: [1, 2, 4]\n  - hbm.bandwidth: [100 GB/s, 200 GB/s]\n";
    const Plan one = plan_of(axes + "filter: dma.engines == 1 or hbm.bandwidth > 0.1 TB/s\n");
    EXPECT_EQ(column(one, "dma.engines"), "1 1 2 4");
    EXPECT_EQ(one.filtered, 2u);
    const Plan both =
        plan_of(axes + "filter: [dma.engines > 1, 'hbm.bandwidth * dma.engines <= 400 GB/s']\n");
    EXPECT_EQ(column(both, "dma.engines"), "2 2 4");
    const Plan other = plan_of("filter: kernel.rows > 10 or kernel == 'matmul'\n",
                               "[matmul: { M: 8, K: 8, N: 8 }, softmax: { rows: [4, 40, 50], cols: 4 }]");
    EXPECT_EQ(column(other, "kernel.rows"), "- 40 50")
        << "what a kernel has no argument for does not concern it";
}

TEST(Plan, ImpossibleConfigurationsArePointsWithAReason) {
    const Plan plan = plan_of("axes:\n  - core.array.rows: [16, 32]\n");
    ASSERT_EQ(plan.points.size(), 2u);
    EXPECT_EQ(plan.points[0].impossible, "");
    EXPECT_EQ(plan.points[1].impossible, "core.array.rows: found '32', expected at most core.partitions, 16");
}

// Returns the causes of a point, "AXIS VALUE, ...".
std::string causes(const Point& point) {
    std::string text;
    for (const Cause& cause : point.causes)
        text += (text.empty() ? "" : ", ") + cause.axis + " " + cause.value;
    return text;
}

// The rule blames core.bus.ports, which no axis has: what the user varies is the clock.
TEST(Plan, TheAxisThatMakesAPointImpossibleIsNamed) {
    const Plan plan = plan_of("axes:\n  - core.clock: [2.8 GHz, 0.5 GHz]\n  - dma.rings: [8, 16]\n");
    ASSERT_EQ(plan.points.size(), 4u);
    for (const std::size_t possible : {0u, 1u}) {
        EXPECT_EQ(plan.points[possible].impossible, "");
        EXPECT_EQ(causes(plan.points[possible]), "");
    }
    for (const std::size_t impossible : {2u, 3u}) {
        const Point& point = plan.points[impossible];
        EXPECT_EQ(causes(point), "core.clock 500 MHz");
        EXPECT_NE(point.impossible.find("core.bus.ports: found '2'"), std::string::npos) << point.impossible;
        EXPECT_NE(point.impossible.find(" with 500 MHz (core.clock) x 1/2 (core.clock_ratio.bus)"),
                  std::string::npos)
            << point.impossible;
    }
    const auto groups = impossible_points(plan);
    ASSERT_EQ(groups.size(), 1u);
    EXPECT_EQ(groups[0].points, 2u);
    EXPECT_NE(groups[0].text.find("s.yaml:4:27: 2 points (2 to 3) cannot be: core.bus.ports: found '2'"),
              std::string::npos)
        << groups[0].text;
}

TEST(Plan, AxesThatDoItTogetherAreNamedTogether) {
    // The bus of small16 carries neither twice the engines nor twice the bandwidth, so neither alone is at fault.
    const Plan plan = plan_of(
        "axes:\n  - dma.rings: [8]\n  - dma.engines: [4, 8]\n  - dma.bandwidth: [27.2 GB/s, 60 GB/s]\n");
    std::string all;
    for (const Point& point : plan.points) all += "[" + causes(point) + "]";
    EXPECT_EQ(all, "[][dma.bandwidth 60 GB/s][dma.engines 8][dma.engines 8, dma.bandwidth 60 GB/s]");
    const Plan doubly = plan_of(
        "axes:\n  - core.array.rows: [32]\n  - core.array.columns: [32]\n  - core.partitions: [16]\n");
    EXPECT_EQ(causes(doubly.points[0]), "core.array.rows 32");
}

TEST(Plan, AServerThatCannotBeNamesItsAxis) {
    const Plan plan = plan_of(
        "server: trn1-4\naxes:\n  - dma.rings: [8]\n  - topology: [torus 2x2, ring 16]\n  - links.lanes: "
        "[16]\n");
    ASSERT_EQ(plan.points.size(), 2u);
    EXPECT_EQ(causes(plan.points[0]), "");
    EXPECT_EQ(causes(plan.points[1]), "topology ring 16") << plan.points[1].impossible;
}

TEST(Plan, AContainerForAnotherCoreIsKnownBeforeAnythingRuns) {
    const test::TemporaryDirectory folder;
    neff::write(folder / "conv.neff", kernels::build_kernel("cast", {{"rows", "4"}, {"cols", "5"}},
                                                            target::of(config::load("small16"))));
    files::write(
        folder / "s.yaml",
        "base: small16\nkernels:\n  - neff: conv.neff\naxes:\n  - core.psum_partition: [16 KiB, 8 KiB]\n"
        "  - dma.start_latency: [1 us, 2 us]\n");
    const Plan plan = make_plan(read_sweep(folder / "s.yaml"));
    std::size_t impossible = 0;
    for (const Point& point : plan.points) {
        if (point.impossible.empty()) continue;
        ++impossible;
        EXPECT_TRUE(point.impossible.starts_with("kernel 'conv' is built for ")) << point.impossible;
        EXPECT_TRUE(causes(point).starts_with("core.psum_partition ")) << causes(point);
    }
    EXPECT_EQ(impossible, 2u);
}

// A plan that is only looked at builds the kernels, so that a point of which that fails is known before it runs.
TEST(Plan, KernelsThatCannotBeBuiltAreKnown) {
    const test::TemporaryDirectory folder;
    files::write(folder / "s.yaml",
                 "base: small16\nkernels:\n  - transformer_block: { seq: 8, width: 12 }\naxes:\n"
                 "  - kernel.heads: [3, 5]\n  - dma.rings: [8, 16]\n");
    const Sweep sweep = read_sweep(folder / "s.yaml");
    for (const Point& point : make_plan(sweep).points) EXPECT_EQ(point.impossible, "");
    const Plan plan = make_plan(sweep, true);
    ASSERT_EQ(plan.points.size(), 4u);
    for (const std::size_t index : {2u, 3u}) {
        EXPECT_NE(plan.points[index].impossible, "");
        EXPECT_EQ(causes(plan.points[index]), "kernel.heads 5");
    }
}

// Returns the lines of a plan that builds the kernels, without their file.
std::vector<std::string> lines_of(const std::string& text) {
    const test::TemporaryDirectory folder;
    files::write(folder / "s.yaml", "base: small16\n" + text);
    std::vector<std::string> lines;
    for (const Impossible& one : impossible_points(make_plan(read_sweep(folder / "s.yaml"), true)))
        lines.push_back(one.text.substr((folder / "s.yaml").string().size()));
    return lines;
}
using Lines = std::vector<std::string>;

// A list of an argument is what varies, as an axis is.
TEST(Plan, AnArgumentWithSeveralValuesIsACause) {
    EXPECT_EQ(lines_of("fidelity: fast\naxes:\n  - dma.engines: [1, 4]\nkernels:\n"
                       "  - transformer_block: { seq: 64, width: 64, heads: [4, 5] }\n"),
              (Lines{":6:57: 2 points (2 to 3) cannot be: transformer_block: heads = '5': expected a divisor "
                     "of width 64"}));
}

TEST(Plan, PointsAreNumberedByRanges) {
    EXPECT_EQ(
        lines_of("axes:\n  - core.array.rows: [16, 24]\n  - dma.rings: [8, 16]\nkernels:\n"
                 "  - matmul: { M: 8, K: 8, N: [8, 16] }\n"),
        (Lines{":3:27: 4 points (2 to 3, 6 to 7) cannot be: core.array.rows: found '24', expected at most "
               "core.partitions, 16"}));
    EXPECT_EQ(
        lines_of(
            "server: trn1-4\naxes:\n  - links.lanes: [8, 65]\nkernels: [matmul: { M: 8, K: 8, N: 8 }]\n"),
        (Lines{":4:22: point 1 cannot be: links.lanes: found '65', expected 1 to 64"}));
}

TEST(Plan, RanksNeedCores) {
    const std::string kernel = "kernels:\n  - all_gather_matmul: { M: 64, K: 64, N: 64, ranks: [2, 8] }\n";
    EXPECT_EQ(
        lines_of("fidelity: fast\nserver: trn1.2xlarge\n" + kernel),
        (Lines{":5:58: point 1 cannot be: trn1.2xlarge: 8 ranks, expected 1 to 2, the cores that its slots "
               "have, because of kernel.ranks 8"}));
    const Lines alone = lines_of(kernel);
    ASSERT_EQ(alone.size(), 2u);
    EXPECT_NE(alone[0].find("collectives of 2 ranks, expected the key server"), std::string::npos)
        << alone[0];
}

TEST(Plan, TheFastCoreHasNoRandomDelays) {
    EXPECT_EQ(
        lines_of("fidelity: fast\naxes:\n  - perturb: [none, 1]\nkernels: [matmul: { M: 8, K: 8, N: 8 }]\n"),
        (Lines{":4:21: point 1 cannot be: perturb: found '1', expected none with fidelity fast"}));
    EXPECT_EQ(
        lines_of("perturb: 1\naxes:\n  - fidelity: [rtl, fast]\nkernels: [matmul: { M: 8, K: 8, N: 8 }]\n"),
        (Lines{":4:21: point 1 cannot be: perturb: found '1', expected none with fidelity fast"}));
}

TEST(Plan, AnArgumentsMistakeIsAtItsValue) {
    const test::TemporaryDirectory folder;
    const auto place = [&](const std::string& text) {
        files::write(folder / "s.yaml", "base: small16\n" + text);
        const std::string what =
            test::message_of<config::Error>([&] { make_plan(read_sweep(folder / "s.yaml")); });
        return what.substr((folder / "s.yaml").string().size());
    };
    EXPECT_TRUE(place("axes:\n  - kernel.M: [64, 0]\nkernels:\n  - matmul: { K: 64, N: 64 }\n")
                    .starts_with(":3:20: kernels: matmul: M = '0'"));
    EXPECT_TRUE(place("kernels:\n  - matmul: { K: 64, N: 64, M: [64, 0] }\n")
                    .starts_with(":3:37: kernels: matmul: M = '0'"));
}

TEST(Plan, NumbersAreInBaseUnits) {
    const Plan plan = plan_of("axes:\n  - hbm.bandwidth: [100 GB/s]\n  - core.clock_ratio.vector: [2/5]\n");
    EXPECT_EQ(plan.variables[0].unit, "B/s");
    EXPECT_EQ(plan.points[0].settings[0].number, 1e11);
    EXPECT_EQ(plan.points[0].settings[1].number, 0.4);
    EXPECT_EQ(plan.points[0].settings[2].number, std::nullopt) << "kernel";
}

}  // namespace
}  // namespace trnsim::sweep
