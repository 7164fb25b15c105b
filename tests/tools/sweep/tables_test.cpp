#include "tools/sweep/tables.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "arch/config/schema.hpp"
#include "base/files/files.hpp"
#include "common/temporary_directory.hpp"
#include "tools/sweep/report.hpp"
#include "tools/sweep/store.hpp"

namespace trnsim::sweep {
namespace {

struct Tables : testing::Test {
    Tables() {
        files::write(folder / "s.yaml",
                     "base: small16\nseed: 5\naxes:\n  - hbm.bandwidth: [100 GB/s, 200 GB/s]\n"
                     "kernels: [matmul: { M: 8, K: 8, N: 8 }]\nmetrics: [cycles, time]\n");
        sweep = read_sweep(folder / "s.yaml");
        plan = make_plan(sweep);
        results.resize(plan.points.size());
    }
    static PointResult ok(double cycles) {
        PointResult result;
        result.status = Status::Ok;
        result.metrics = {{"cycles", cycles}, {"time", 1e-6}, {"macs", 7}};
        result.rtl_hash = "abc";
        result.wall_seconds = 3;
        return result;
    }
    test::TemporaryDirectory folder;
    Sweep sweep;
    Plan plan;
    Results results;
};

TEST_F(Tables, CsvHasWhatThereIs) {
    const std::string header =
        "point,hbm.bandwidth (B/s),kernel,arguments,seed,rtl_hash,status,reason,cycles,time (s)\n";
    EXPECT_EQ(to_csv(sweep, plan, results), header);
    results[1] = ok(1234);
    const std::string second = "1,200000000000,matmul,M=8 K=8 N=8 dtype=bf16,5,abc,ok,,1234,1e-06\n";
    EXPECT_EQ(to_csv(sweep, plan, results), header + second);
    results[0] = PointResult{};
    results[0]->reason = "no \"core\", sorry";
    EXPECT_EQ(to_csv(sweep, plan, results),
              header +
                  "0,100000000000,matmul,M=8 K=8 N=8 dtype=bf16,5,,failed,\"no \"\"core\"\", sorry\",,\n" +
                  second);
}

TEST_F(Tables, JsonIsComplete) {
    results[1] = ok(1234);
    const auto json = nlohmann::json::parse(to_json(sweep, plan, results));
    EXPECT_TRUE(json.at("versions").contains("trnsim"));
    EXPECT_TRUE(json.at("versions").contains("systemc"));
    EXPECT_EQ(json.at("sweep").at("seed"), 5);
    const auto& point = json.at("points").at(0);
    EXPECT_EQ(point.at("point"), 1);
    EXPECT_EQ(point.at("seed"), 5);
    EXPECT_EQ(point.at("rtl_hash"), "abc");
    EXPECT_EQ(point.at("settings").at("hbm.bandwidth").at("number"), 2e11);
    EXPECT_EQ(point.at("metrics").at("cycles"), 1234);
    const auto& bandwidth = json.at("variables").at(0);
    EXPECT_EQ(bandwidth.at("doc"), config::find_field("hbm.bandwidth")->doc);
    EXPECT_EQ(bandwidth.at("source"), "configuration");
    EXPECT_EQ(bandwidth.at("base"), "820 GB/s");
    EXPECT_EQ(json.at("metrics").at(1).at("source"), "simulation");
    files::write(folder / "c.yaml", json.at("configurations").at(0).get<std::string>());
    EXPECT_EQ(config::load((folder / "c.yaml").string()), plan.points[1].config);
}

TEST_F(Tables, StoreKeepsWhatLasts) {
    const Store store(folder / "out");
    EXPECT_TRUE(store.empty());
    const std::string one = identity(sweep, plan.points[0]), two = identity(sweep, plan.points[1]);
    EXPECT_NE(one, two);
    Point perturbed = plan.points[0];
    perturbed.perturb = 0;
    EXPECT_NE(one, identity(sweep, perturbed));
    Point fast = plan.points[0];
    fast.fidelity = runtime::Fidelity::Fast;
    EXPECT_NE(one, identity(sweep, fast));
    EXPECT_FALSE(store.find(one));
    store.put(one, ok(9));
    EXPECT_EQ(store.find(one)->metrics.at("macs"), 7);
    EXPECT_EQ(store.find(one)->wall_seconds, 3);
    PointResult failed;
    failed.reason = "because";
    store.put(two, failed);
    EXPECT_FALSE(store.find(two)) << "runs again";
    EXPECT_EQ(store.find(two, true)->reason, "because");
    files::write(store.folder() / "points" / (one + ".json"), "{\"status\":");
    EXPECT_FALSE(store.find(one, true)) << "cut short";
    files::write(store.folder() / "points/x.0123456789abcdef.partial", "");
    store.clean();
    EXPECT_FALSE(std::filesystem::exists(store.folder() / "points/x.0123456789abcdef.partial"));
}

TEST_F(Tables, ReportHoldsTheResultsAndNothingFromElsewhere) {
    results[0] = ok(4711);
    results[0]->reason = "</script>";
    const std::string page = report(to_json(sweep, plan, results));
    EXPECT_NE(page.find("4711"), std::string::npos);
    EXPECT_EQ(page.find("/*"), std::string::npos) << "a part is missing";
    std::size_t scripts = 0;
    for (std::size_t at = 0; (at = page.find("</script>", at)) != std::string::npos; ++at) ++scripts;
    EXPECT_EQ(scripts, 2u) << "data must not end its element";
    for (const char* foreign : {"src=", "href=", "@import", "url(", "fetch(", "https://"})
        EXPECT_EQ(page.find(foreign), std::string::npos) << foreign;
}

}  // namespace
}  // namespace trnsim::sweep
