// Tests what a sweep says of its results, on figures made by hand.
#include "tools/sweep/analysis.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/files/files.hpp"
#include "common/temporary_directory.hpp"
#include "tools/sweep/analysis_text.hpp"

namespace trnsim::sweep {
namespace {

class Analysis : public testing::Test {
  protected:
    // Plans a sweep; `figures` gives the metrics of each point.
    void plan(const std::string& text,
              const std::function<std::map<std::string, double>(const Point&)>& figures) {
        files::write(folder_ / "s.yaml", text);
        sweep_.emplace(read_sweep(folder_ / "s.yaml"));
        plan_ = make_plan(*sweep_);
        results_.clear();
        for (const Point& point : plan_.points) {
            PointResult result;
            result.status = Status::Ok;
            result.metrics = figures(point);
            results_.emplace_back(result);
        }
    }
    static double argument(const Point& point, const char* name) {
        return std::stod(point.arguments.at(name));
    }
    const Metric& metric(const char* name) const { return find_metric(name); }

    test::TemporaryDirectory folder_;
    std::optional<Sweep> sweep_;
    Plan plan_;
    Results results_;
};

const std::string TwoShapes =
    "base: small16\naxes:\n  - dma.engines: [1, 2, 4]\n  - hbm.bandwidth: [100 GB/s, 200 GB/s]\n"
    "kernels: [matmul: { M: 8, K: 8, N: [8, 16] }]\n";

// The small shape is faster everywhere: over all points it alone would be the front.
TEST_F(Analysis, FrontsAreOfOneWork) {
    plan(TwoShapes, [](const Point& point) -> std::map<std::string, double> {
        const auto engines = static_cast<double>(point.config.dma.engines);
        const bool fast = point.config.hbm.bandwidth == 200'000'000'000;
        return {{"time", argument(point, "N") / engines}, {"energy", engines * (fast ? 2 : 1)}};
    });
    const auto fronts = pareto_fronts(plan_, results_, metric("time"), metric("energy"));
    ASSERT_EQ(fronts.size(), 2u);
    for (const auto& [work, points] : fronts) {
        ASSERT_EQ(points.size(), 3u) << work;
        for (const std::size_t point : points) {
            EXPECT_EQ(work_of(plan_.points[point]), work);
            EXPECT_EQ(plan_.points[point].config.hbm.bandwidth, 100'000'000'000u)
                << "twice the energy is no gain";
        }
        EXPECT_EQ(plan_.points[points.front()].config.dma.engines, 4u) << "the first metric orders them";
    }
    const std::string text = pareto_text(plan_, results_, metric("time"), metric("energy"));
    EXPECT_NE(text.find("no point of matmul M=8 K=8 N=16 dtype=bf16 beats these in both time and energy\n"
                        "  4 s                4 J                point "),
              std::string::npos)
        << text;
    EXPECT_EQ(pareto_text(plan_, results_, metric("time"), metric("area")),
              "no point has both time and area\n");
    // More is better.
    for (auto& result : results_)
        result->metrics = {{"time", 1}, {"macs_per_second", result->metrics["energy"]}};
    const auto best = pareto_fronts(plan_, results_, metric("time"), metric("macs_per_second"));
    for (const auto& [work, points] : best) EXPECT_EQ(points.size(), 1u);
}

TEST_F(Analysis, BestPointsAreOfOneWork) {
    plan(TwoShapes, [](const Point& point) -> std::map<std::string, double> {
        return {{"cycles", argument(point, "N")}, {"time", argument(point, "N")}};
    });
    const std::string text = best_points(*sweep_, plan_, results_);
    EXPECT_NE(
        text.find(
            "best cycles        8: point 0, dma.engines 1, hbm.bandwidth 100 GB/s: matmul M=8 K=8 N=8 "),
        std::string::npos)
        << text;
    EXPECT_NE(
        text.find(
            "best cycles        16: point 6, dma.engines 1, hbm.bandwidth 100 GB/s: matmul M=8 K=8 N=16 "),
        std::string::npos)
        << text;
}

// log2 of the time is 2 for one engine, 1 for two, 0 for four, and 0 or 1 by the bandwidth. Variances: 2/3 and
// 1/4 of 11/12; the shape adds a constant, which does not count.
TEST_F(Analysis, ImportanceIsTheShareOfTheVariance) {
    plan(TwoShapes, [](const Point& point) -> std::map<std::string, double> {
        const bool fast = point.config.hbm.bandwidth == 200'000'000'000;
        return {{"time",
                 argument(point, "N") * 4 / static_cast<double>(point.config.dma.engines) * (fast ? 1 : 2)},
                {"cycles", 7}};
    });
    const std::vector<Importance> axes = importance(plan_, results_, metric("time"));
    ASSERT_EQ(axes.size(), 2u);
    EXPECT_EQ(axes[0].axis, "dma.engines");
    EXPECT_NEAR(axes[0].share, 8.0 / 11, 1e-12);
    EXPECT_NEAR(axes[0].factor, 4, 1e-12);
    EXPECT_EQ(axes[0].least, "4");
    EXPECT_EQ(axes[0].most, "1");
    EXPECT_EQ(axes[1].axis, "hbm.bandwidth");
    EXPECT_NEAR(axes[1].share, 3.0 / 11, 1e-12);
    const std::string text = importance_text(plan_, results_, metric("time"));
    EXPECT_NE(text.find("  dma.engines                   72.7 %  4 times from 4 to 1\n"), std::string::npos)
        << text;
    EXPECT_NE(text.find("  axes together, and by shape    0.0 %\n"), std::string::npos) << text;
    EXPECT_EQ(importance_text(plan_, results_, metric("cycles")), "no axis changes cycles\n");
    EXPECT_EQ(importance_text(plan_, results_, metric("area")), "no axis changes area\n");
}

// Twice the bandwidth helps one of two shapes alone: half of the variance is the mean effect, sqrt(2), and the
// other half that the shapes differ in it; no second axis is there that could take part.
TEST_F(Analysis, TheRestOfOneAxisIsThatOfShapes) {
    plan(
        "base: small16\naxes:\n  - hbm.bandwidth: [100 GB/s, 200 GB/s]\n"
        "kernels: [matmul: { M: 8, K: 8, N: [8, 16] }]\n",
        [](const Point& point) -> std::map<std::string, double> {
            const bool fast = point.config.hbm.bandwidth == 200'000'000'000;
            return {{"time", fast && argument(point, "N") == 8 ? 1 : 2}};
        });
    const std::string text = importance_text(plan_, results_, metric("time"));
    EXPECT_NE(text.find("  hbm.bandwidth                 50.0 %  1.41 times from 200 GB/s to 100 GB/s\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("  differs by kernel and shape   50.0 %\n"), std::string::npos) << text;
}

// A clock of twice the frequency takes more cycles and less time.
TEST_F(Analysis, ClocksAreComparedByTime) {
    const std::string text =
        "base: small16\naxes:\n  - core.clock: [1 GHz, 2 GHz]\nkernels: [matmul: { M: 8, K: 8, N: 8 }]\n"
        "metrics: [cycles, macs_per_cycle]\n";
    plan(text, [](const Point& point) -> std::map<std::string, double> {
        const bool fast = point.config.core.clock == 2'000'000'000;
        return {
            {"cycles", fast ? 120 : 100}, {"macs_per_cycle", fast ? 5 : 6}, {"time", fast ? 60e-9 : 100e-9}};
    });
    EXPECT_FALSE(has_one_clock(plan_));
    const std::string best = best_points(*sweep_, plan_, results_);
    EXPECT_EQ(best.find("cycle"), std::string::npos) << best;
    EXPECT_NE(best.find("best time          6e-08 s: point 1, core.clock 2 GHz"), std::string::npos) << best;
    const auto json = nlohmann::json::parse(to_json(*sweep_, plan_, results_));
    EXPECT_EQ(json["sweep"]["one_clock"], false);
    EXPECT_EQ(json["metrics"].back()["name"], "time") << "the page needs it";
    EXPECT_EQ(json["points"][1]["metrics"]["time"], 60e-9);
    EXPECT_EQ(to_csv(*sweep_, plan_, results_).find("time"), std::string::npos) << "columns are as asked for";
}

const std::string OverRanks =
    "base: small16\nserver: trn1-4\nfidelity: fast\nkernels:\n"
    "  - all_gather_matmul: { M: 64, K: 128, N: 64, pieces: [1, 4], ranks: [2, 4, 8] }\n";

// The whole work is the same on 2 and 4 ranks, with 4 pieces it doubles with the ranks.
TEST_F(Analysis, ScalingIsOfPointsThatDifferInRanks) {
    plan(OverRanks, [](const Point& point) -> std::map<std::string, double> {
        const double ranks = argument(point, "ranks");
        const bool grows = point.arguments.at("pieces") == "4";
        return {{"ranks", ranks},
                {"time", grows ? 1e-6 : 4e-6 / ranks + 1e-6},
                {"macs_of_ranks", grows ? 100 * ranks : 100},
                {"energy", 1e-6 * ranks}};
    });
    const auto scaling = scaling_of(plan_, results_);
    ASSERT_EQ(scaling.size(), 6u);
    for (const auto& [point, one] : scaling) {
        const double ranks = argument(plan_.points[point], "ranks");
        const bool grows = plan_.points[point].arguments.at("pieces") == "4";
        EXPECT_EQ(one.ranks, ranks);
        EXPECT_NEAR(one.speed_up, grows ? ranks / 2 : 3 / (4 / ranks + 1), 1e-12) << point;
        EXPECT_NEAR(one.efficiency, one.speed_up / (ranks / 2), 1e-12);
        EXPECT_EQ(one.family.find("ranks"), std::string::npos) << one.family;
    }
    const std::string text = scaling_text(plan_, results_);
    EXPECT_NE(text.find("scaling of all_gather_matmul K=128 M=64 N=64 pieces=1"), std::string::npos) << text;
    EXPECT_NE(text.find("  4                 2 us        1.50        75.0 %                  4 uJ\n"),
              std::string::npos)
        << text;
    const std::string csv = to_csv(*sweep_, plan_, results_);
    EXPECT_NE(csv.find(",speed_up,efficiency\n"), std::string::npos) << csv;
    const auto json = nlohmann::json::parse(to_json(*sweep_, plan_, results_));
    EXPECT_EQ(json["metrics"].back()["name"], "efficiency");
    EXPECT_EQ(json["points"][0]["metrics"]["speed_up"], 1);
    // Without a second number of ranks there is nothing to say.
    results_[1].reset(), results_[2].reset();
    for (const auto& [point, one] : scaling_of(plan_, results_)) EXPECT_GE(point, 3u);
}

}  // namespace
}  // namespace trnsim::sweep
