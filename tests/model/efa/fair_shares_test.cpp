// Rates are max-min fair: no resource gives more than it has, and every flow passes a resource that gives all
// it has and gives no other flow more.
#include "model/efa/fair_shares.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "common/random.hpp"

namespace trnsim::tlm::efa {
namespace {

constexpr double Tolerance = 1e-9;

Path path_of(std::initializer_list<std::uint32_t> resources) {
    Path path;
    for (const auto r : resources) path.add(r);
    return path;
}

void expect_fair(const std::vector<Path>& paths, const std::vector<double>& capacities,
                 const std::vector<double>& rates) {
    std::vector<double> given(capacities.size()), most(capacities.size());
    for (std::size_t k = 0; k < paths.size(); ++k)
        for (const auto r : paths[k]) {
            given[r] += rates[k];
            most[r] = std::max(most[r], rates[k]);
        }
    for (std::size_t r = 0; r < capacities.size(); ++r)
        ASSERT_LE(given[r], capacities[r] * (1 + Tolerance)) << "resource " << r;
    for (std::size_t k = 0; k < paths.size(); ++k)
        ASSERT_TRUE(std::any_of(paths[k].begin(), paths[k].end(),
                                [&](std::uint32_t r) {
                                    return given[r] >= capacities[r] * (1 - Tolerance) &&
                                           rates[k] >= most[r] * (1 - Tolerance);
                                }))
            << "flow " << k << " could have more than " << rates[k];
}

TEST(FairShares, OneFlowHasTheShortestOfItsPath) {
    EXPECT_EQ(fair_shares(std::vector{path_of({0, 1, 2})}, std::vector{5.0, 3.0, 4.0}), std::vector{3.0});
}

TEST(FairShares, NoFlowsHaveNoRates) {
    EXPECT_TRUE(fair_shares({}, std::vector{1.0}).empty());
}

TEST(FairShares, WhatAFlowCannotUseGoesToTheOthers) {
    // Two flows share resource 0; resource 1 limits the first to 1.
    const std::vector paths{path_of({0, 1}), path_of({0, 2})};
    EXPECT_EQ(fair_shares(paths, std::vector{10.0, 1.0, 20.0}), (std::vector{1.0, 9.0}));
}

TEST(FairShares, TheWayOverTwoLinksHasAThird) {
    // Link 0 carries flows 0, 1 and 2, link 1 flows 0 and 3: 1/3 each on link 0, the rest of link 1 for flow
    // 3.
    const std::vector paths{path_of({0, 1}), path_of({0}), path_of({0}), path_of({1})};
    const auto rates = fair_shares(paths, std::vector{9.0, 10.0});
    EXPECT_EQ(rates, (std::vector{3.0, 3.0, 3.0, 7.0}));
}

TEST(FairShares, RandomOnesAreFairWhateverTheOrder) {
    auto random = test::generator();
    const auto draw = [&](std::size_t most) {
        return std::uniform_int_distribution<std::size_t>(1, most)(random);
    };
    for (std::uint64_t n = 0; n < 300 * test::scale(); ++n) {
        std::vector<double> capacities(draw(20));
        for (auto& capacity : capacities) capacity = std::ldexp(1.0 + draw(1000), static_cast<int>(draw(30)));
        std::vector<Path> paths(draw(60));
        for (auto& path : paths)
            for (std::size_t length = std::min(draw(Path::Longest), capacities.size()); path.used < length;) {
                const auto r = static_cast<std::uint32_t>(draw(capacities.size()) - 1);
                if (std::find(path.begin(), path.end(), r) == path.end()) path.add(r);
            }
        const auto rates = fair_shares(paths, capacities);
        expect_fair(paths, capacities, rates);
        ASSERT_FALSE(testing::Test::HasFatalFailure()) << "case " << n;

        std::vector<Path> reversed(paths.rbegin(), paths.rend());
        auto again = fair_shares(reversed, capacities);
        std::reverse(again.begin(), again.end());
        ASSERT_EQ(rates, again) << "case " << n;
    }
}

}  // namespace
}  // namespace trnsim::tlm::efa
