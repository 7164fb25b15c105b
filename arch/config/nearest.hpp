// Suggestions for misspelt names.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace trnsim::config {

// Returns the candidate with the fewest single-character edits (insert, delete, replace, swap neighbours)
// from `name`; the first one of several, empty when there are no candidates.
std::string nearest(std::string_view name, std::span<const std::string> candidates);

// Returns the same if it is near enough to be meant: at most a third of the letters are edits. Otherwise it
// is empty.
std::string meant(std::string_view name, std::span<const std::string> candidates);

}  // namespace trnsim::config
