// The values of an axis: a list, or a range
//
//   { from: A, to: B, step: S }                  A, A + S, ... up to B
//   { from: A, to: B, factor: F }                A, A F, A F^2, ... up to B, rounded to whole base units
//   { from: A, to: B, points: N, scale: log }    N from A to B in equal steps, or equal ratios with `log`
//
// of whole numbers or quantities with units.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arch/config/document.hpp"
#include "arch/config/units.hpp"

namespace trnsim::sweep {

constexpr std::size_t MaxAxisValues = 10'000;

struct PlacedValue {
    std::string text;
    config::Location place;
};

// `quantity` is that of a range; without it only lists are possible. A single value is a list of one. Throws
// config::Error.
std::vector<PlacedValue> axis_values(const config::Document& document, const YAML::Node& node,
                                     const config::Location& place, const std::string& key,
                                     std::optional<config::Quantity> quantity);

}  // namespace trnsim::sweep
