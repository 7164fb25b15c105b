// The keys of a configuration file, as a table.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "testbench/config/config.hpp"
#include "testbench/config/units.hpp"

namespace trnsim::config {

struct Number {
    Quantity quantity;
    std::uint64_t& (*of)(Config&);
    std::uint64_t minimum, maximum;  // in base units, both allowed
};

struct Fraction {
    Ratio& (*of)(Config&);
};

struct Text {
    std::string& (*of)(Config&);
};

struct Field {
    std::string_view key;  // dotted path, in the order of the effective configuration
    std::variant<Number, Fraction, Text> value;
};

std::span<const Field> schema();

// The value of a field as it stands in a configuration file.
std::string format_field(const Field& field, const Config& config);

// Reads `text` into the field. Returns what was expected when it does not fit, else an empty string.
std::string parse_field(const Field& field, const std::string& text, Config& config);

}  // namespace trnsim::config
