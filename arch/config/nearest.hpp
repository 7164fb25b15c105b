// Suggestions for misspelt names.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace trnsim::config {

// The candidate with the fewest single-character edits (insert, delete, replace) from `name`; the first of
// equals, empty when there are no candidates.
std::string nearest(std::string_view name, std::span<const std::string> candidates);

// The same, if it is so near that it may be meant: at most a third of the letters are edits.
std::string meant(std::string_view name, std::span<const std::string> candidates);

}  // namespace trnsim::config
