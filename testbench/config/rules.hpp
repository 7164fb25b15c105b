// Rules that tie several keys together or go beyond a range.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/config/config.hpp"

namespace trnsim::config {

struct Violation {
    std::string_view key;  // the key to blame
    std::string_view rule;
    std::string expected;
};

// The first rule `config` breaks.
std::optional<Violation> check_rules(const Config& config);

// The names of the rules.
std::vector<std::string_view> combination_rules();

}  // namespace trnsim::config
