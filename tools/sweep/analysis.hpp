// Analyses the results of a sweep: fronts, the weight of axes, scaling over ranks. Figures of different work, which
// is a kernel with all of its arguments, are never compared.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/sweep/metrics.hpp"
#include "tools/sweep/tables.hpp"

namespace trnsim::sweep {

// Returns a point's work, as it is shown: "matmul M=8 K=8 N=8 dtype=bf16".
std::string work_of(const Point& point);

// Returns the settings of a point's machine: "core.clock 2 GHz, hbm.bandwidth 100 GB/s".
std::string settings_of(const Plan& plan, std::size_t point);

// Returns whether all points have one core clock. Cycles of different clocks are not compared.
bool has_one_clock(const Plan& plan);

// Returns the points of each work that no other of the same work beats in both metrics, by the first metric.
// A metric without a direction counts as "less is better".
std::map<std::string, std::vector<std::size_t>> pareto_fronts(const Plan& plan, const Results& results,
                                                              const Metric& one, const Metric& other);

// The weight of an axis for a metric.
struct Importance {
    std::string axis;
    double share = 0;   // share of the variance of the metric's logarithm that its values alone explain
    double factor = 1;  // ratio of the metric between its two values that are furthest apart, in the mean
    std::string least, most;  // these values
};

// Returns the axes that are properties of the machine, most important first. Means are taken within each work,
// so work does not count. Empty if nothing varies, or if the metric is not positive everywhere.
std::vector<Importance> importance(const Plan& plan, const Results& results, const Metric& metric);

// The rank argument of kernels as a variable of plans.
inline constexpr std::string_view RanksVariable = "kernel.ranks";

// A point among those that differ from it only in the number of ranks.
struct Scaling {
    std::string family;  // kernel, arguments and settings without the ranks
    double ranks = 1;
    double speed_up = 1;  // work a second relative to the fewest ranks: macs of all ranks / time, or 1 / time
    double efficiency = 1;  // speed_up / (ranks / fewest ranks)
};

// Returns the scaling of points with figures in families of several numbers of ranks, by point.
std::map<std::size_t, Scaling> scaling_of(const Plan& plan, const Results& results);

}  // namespace trnsim::sweep
