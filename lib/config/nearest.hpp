// Suggestions for misspelt names.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace trnsim::config {

// The candidate with the fewest single-character edits (insert, delete, replace) from `name`; the first of
// equals, empty when there are no candidates.
std::string nearest(std::string_view name, std::span<const std::string> candidates);

}  // namespace trnsim::config
