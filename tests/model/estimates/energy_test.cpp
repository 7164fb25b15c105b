#include "model/estimates/energy.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sample.hpp"

namespace trnsim::estimates {
namespace {

std::uint64_t& macs(Activity& activity, isa::Dtype dtype) {
    return activity.work.macs[static_cast<std::size_t>(dtype)];
}

TEST(EstimateEnergy, MatchesNumbersWorkedByHand) {
    Activity activity;
    macs(activity, isa::Dtype::Bf16) = 1000;  // 2 pJ each: 2000 pJ
    macs(activity, isa::Dtype::Fp32) = 10;    // 20 pJ: 200 pJ
    macs(activity, isa::Dtype::Fp16) = 7;     // 3 pJ: 21 pJ
    macs(activity, isa::Dtype::Tf32) = 5;     // 4 pJ: 20 pJ
    macs(activity, isa::Dtype::Fp8E4m3) = 9;  // 1 pJ: 9 pJ
    activity.work.additions = 3;              // 10 pJ: 30 pJ
    activity.work.multiplications = 4;        // 100 pJ: 400 pJ
    activity.work.sbuf_bytes = 50;            // 64 KiB, so the entry of 1 MiB: 10 pJ a byte
    activity.window_bytes = 30;               // the same; 800 pJ with the above
    activity.work.psum_bytes = 20;            // 16 KiB, 2 pJ a byte: 40 pJ
    activity.hbm_bytes = 100;                 // 8 bits of 4 pJ: 3200 pJ
    activity.moved_bytes = 60;                // 8 bits, 10 mm of 0.5 pJ: 2400 pJ
    activity.time = 2'000'000;                // fs
    const Tables tables = test::estimate_tables();
    const config::Config config = test::estimate_config();
    const Energy energy = estimate_energy(activity, config, tables);
    const double mm2 = estimate_area(config, tables.area).mm2();
    const double expected[] = {2250e-12, 430e-12, 800e-12, 40e-12, 3200e-12, 2400e-12, mm2 * 2 * 2e-9};
    double all = 0;
    for (std::size_t c = 0; c < energy.components.size(); ++c) {
        EXPECT_NEAR(energy.components[c].joules, expected[c], 1e-9 * expected[c])
            << energy.components[c].name;
        all += expected[c];
    }
    EXPECT_NEAR(energy.joules, all, 1e-9 * all);
    EXPECT_NEAR(energy.average_watts, all / 2e-9, 1e-9 * all / 2e-9);
    EXPECT_NEAR(energy.joules_per_mac, all / 1031, 1e-9 * all / 1031);
}

TEST(EstimateEnergy, NothingDoneInNoTimeIsNothing) {
    const Energy energy = estimate_energy({}, test::estimate_config(), test::estimate_tables());
    EXPECT_EQ(energy.joules, 0);
    EXPECT_EQ(energy.average_watts, 0);
    EXPECT_EQ(energy.joules_per_mac, 0);
}

TEST(EstimateEnergy, MemoriesLargerThanAnyPublishedOneTakeTheLast) {
    config::Config config = test::estimate_config();
    config.core.psum_partition = std::uint64_t{2} << 20;
    Activity activity;
    activity.work.psum_bytes = 1;
    const Energy energy = estimate_energy(activity, config, test::estimate_tables());
    EXPECT_NEAR(energy.components[3].joules, 10e-12, 1e-20);
}

TEST(ShippedTable, BusyArrayOfTrn1TakesTensOfWatts) {
    const config::Config config = config::load("trn1");
    Activity activity;
    macs(activity, isa::Dtype::Bf16) = std::uint64_t{128} * 128 * 2800;  // one microsecond at 2.8 GHz
    activity.time = 1'000'000'000;
    const Energy energy = estimate_energy(activity, config, load_tables());
    EXPECT_NEAR(energy.components[0].joules / 1e-6, 128 * 128 * 2.8e9 * 0.59e-12, 1e-6);
}

}  // namespace
}  // namespace trnsim::estimates
