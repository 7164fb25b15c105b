// results.csv and results.json.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/sweep/run_point.hpp"

namespace trnsim::sweep {

// Results by point; nothing for a point without a result.
using Results = std::vector<std::optional<PointResult>>;

// Writes one line for each point with a result, in the plan's order. Nothing in it depends on when, where or
// how fast a point ran.
std::string to_csv(const Sweep& sweep, const Plan& plan, const Results& results);

// Writes only the points: settings and arguments.
std::string to_csv(const Plan& plan);

// Writes everything: the sweep, versions, effective configurations, points with wall times.
std::string to_json(const Sweep& sweep, const Plan& plan, const Results& results);

}  // namespace trnsim::sweep
