// The reports of a regression: JUnit XML for continuous integration, JSON, a page, lines on a terminal.
#pragma once

#include <string>

#include "tools/regress/regression.hpp"

namespace trnsim::regress {

std::string to_junit(const List& list, const Summary& summary);

// Includes configurations, seeds, versions and the RTL's hash.
std::string to_json(const List& list, const Summary& summary);

// Returns self-contained HTML.
std::string to_page(const List& list, const Summary& summary);

// Returns failures, coverage when it was asked for, and one line with the counts.
std::string to_text(const List& list, const Summary& summary);

}  // namespace trnsim::regress
