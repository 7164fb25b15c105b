// A filter in a sweep file.
#pragma once

#include <span>
#include <string>

#include "tools/sweep/sweep.hpp"

namespace trnsim::sweep {

// `text` is that of the node, which stands at `place`; `known` are the names it may use, those of servers
// only if the sweep has one. Throws config::Error with the place of the mistake in the text.
Filter read_filter(const YAML::Node& node, const std::string& text, config::Location place,
                   std::span<const std::string> known, bool has_server);

}  // namespace trnsim::sweep
