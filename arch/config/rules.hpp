// Rules that tie several keys together or go beyond a range.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/config/config.hpp"

namespace trnsim::config {

struct Violation {
    std::string_view key;  // the key to blame
    std::string_view rule;
    std::string expected;
};

// The first rule `config` breaks.
std::optional<Violation> check_rules(const Config& config);

struct RuleInfo {
    std::string_view key, name;
    std::string_view doc;  // the expectation of the key
};

std::vector<RuleInfo> combination_rules();

}  // namespace trnsim::config
