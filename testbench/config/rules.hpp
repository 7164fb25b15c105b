// Rules that tie several keys together or go beyond a range.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "testbench/config/config.hpp"

namespace trnsim::config {

struct Violation {
    std::string_view key;  // the key to blame
    std::string expected;
};

// The first rule `config` breaks.
std::optional<Violation> check_rules(const Config& config);

}  // namespace trnsim::config
