// The analysis of a sweep for people, several lines each.
#pragma once

#include <string>

#include "tools/sweep/analysis.hpp"

namespace trnsim::sweep {

// Returns the best point of every metric that has a direction, for each work; times instead of cycles if the
// clock varies.
std::string best_points(const Sweep& sweep, const Plan& plan, const Results& results);

std::string pareto_text(const Plan& plan, const Results& results, const Metric& one, const Metric& other);
std::string importance_text(const Plan& plan, const Results& results, const Metric& metric);

// Returns a table for each family of points that differ in the number of ranks; empty if there is none.
std::string scaling_text(const Plan& plan, const Results& results);

}  // namespace trnsim::sweep
