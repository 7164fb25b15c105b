// results.csv and results.json.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/sweep/run_point.hpp"

namespace trnsim::sweep {

// By point; nothing: no result yet.
using Results = std::vector<std::optional<PointResult>>;

// One line a point that has a result, in the plan's order. Nothing in it depends on when, where or how fast
// a point ran.
std::string to_csv(const Sweep& sweep, const Plan& plan, const Results& results);

// The points alone: settings and arguments.
std::string to_csv(const Plan& plan);

// Everything: the sweep, versions, effective configurations, points with wall times.
std::string to_json(const Sweep& sweep, const Plan& plan, const Results& results);

}  // namespace trnsim::sweep
