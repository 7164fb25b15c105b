// Compares the closed form with measured times. Prints the table of docs/collectives.md.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "compiler/collectives/calibrations.hpp"
#include "compiler/collectives/choice.hpp"
#include "compiler/collectives/error.hpp"
#include "compiler/collectives/generate.hpp"
#include "compiler/collectives/published_points.hpp"

namespace trnsim::collectives::test {
namespace {

constexpr std::size_t ElementBytes = 4;

struct Estimated {
    Algorithm algorithm;
    double microseconds;
};

// Returns the first `ranks` ranks; for one rank in each server the first of each.
std::vector<Rank> ranks_of(const PublishedPoint& point, const Topology& topology) {
    const Cluster& cluster = topology.cluster();
    if (cluster.servers > 1 && point.ranks == cluster.servers) return {0, cluster.chips() * cluster.cores};
    std::vector<Rank> ranks(point.ranks);
    std::iota(ranks.begin(), ranks.end(), Rank{0});
    return ranks;
}

Estimated estimate(const PublishedPoint& point) {
    const Calibration calibration = find_calibration(point.platform);
    const Topology topology(calibration.cluster);
    const std::uint32_t servers = calibration.cluster.servers;
    Request request;
    request.ranks = calibration.cluster.ranks();
    request.count = point.bytes / ElementBytes;
    Plan plan;
    plan.algorithm = point.algorithm.value_or(choose_algorithm(
        published_choices(), request.operation, point.bytes, point.ranks / servers, servers > 1));
    plan.inner = point.ranks / servers;
    if (plan.algorithm == Algorithm::HalvingDoubling)
        plan.cycles = topology.hypercubes(plan.inner);
    else if (plan.inner > 1)
        plan.cycles = topology.cycles(plan.inner);
    request.groups = {ranks_of(point, topology)};
    return {plan.algorithm,
            1e6 * estimate_seconds(make_schedule(request, plan), topology, calibration.timing)};
}

// Returns the decimal places of a time in the table.
int places(double microseconds) {
    return microseconds < 100 ? 2 : microseconds < 1000 ? 1 : 0;
}

TEST(Published, EstimatesAreNearMeasuredTimes) {
    std::vector<double> errors, of_large;
    fmt::print("| platform | ranks | bytes | algorithm | measured, us | estimate, us | error |\n");
    for (const PublishedPoint& point : PublishedPoints) {
        const auto [algorithm, microseconds] = estimate(point);
        const double error = microseconds / point.microseconds - 1;
        fmt::print("| {} | {} | {} | {} | {:.{}f} | {:.{}f} | {:+.1f} % |\n", point.platform, point.ranks,
                   point.bytes, name(algorithm), point.microseconds, places(point.microseconds), microseconds,
                   places(microseconds), 100 * error);
        errors.push_back(std::fabs(error));
        if (point.bytes >= 64 * MiB) of_large.push_back(std::fabs(error));
    }
    std::ranges::sort(errors);
    std::ranges::sort(of_large);
    fmt::print("median error of {} points: {:.1f} %; from 64 MiB on, of {}: {:.1f} %, at most {:.1f} %\n",
               errors.size(), 100 * errors[errors.size() / 2], of_large.size(),
               100 * of_large[of_large.size() / 2], 100 * of_large.back());
    EXPECT_LT(errors[errors.size() / 2], 0.15);
    EXPECT_LT(of_large[of_large.size() / 2], 0.15);
}

// Each of 8 ranks sends to the next: 32 MiB in 894 us, 37.5 GiB/s. A link between chips carries the bytes of
// one rank.
TEST(Published, Permute) {
    const Calibration calibration = find_calibration("nccom-test, 2 ranks");
    const Topology topology(calibration.cluster);
    Request request;
    request.operation = Operation::Permute;
    request.ranks = 8;
    request.count = 32 * MiB / ElementBytes;
    for (Rank rank = 0; rank < 8; ++rank) request.pairs.emplace_back(rank, (rank + 1) % 8);
    const double seconds =
        estimate_seconds(make_schedule(request, {Algorithm::Direct}), topology, calibration.timing);
    fmt::print("permute, 8 ranks, 32 MiB: 894 us, estimate {:.0f} us\n", 1e6 * seconds);
    EXPECT_NEAR(seconds / 894e-6, 1, 0.3);
}

TEST(Published, RefusesAnUnknownPlatform) {
    EXPECT_THROW(find_calibration("none"), Error);
}

}  // namespace
}  // namespace trnsim::collectives::test
