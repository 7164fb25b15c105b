// The keys of a configuration file, as a table.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "arch/config/config.hpp"
#include "arch/config/units.hpp"

namespace trnsim::config {

struct Number {
    Quantity quantity;
    std::uint64_t& (*of)(Config&);
    std::uint64_t minimum, maximum;  // in base units, both allowed
};

struct Fraction {
    Ratio& (*of)(Config&);
    std::uint64_t smallest = 0;  // the least value is 1 / smallest; 0: any value above 0
};

struct Text {
    std::string& (*of)(Config&);
};

// One of several names.
struct Choice {
    std::string& (*of)(Config&);
    std::span<const std::string_view> options;
};

// A count of cycles, or `preset`, kept as 0.
struct Override {
    std::uint64_t& (*of)(Config&);
    std::uint64_t minimum, maximum;
};

struct Field {
    std::string_view key;  // dotted path, in the order of the effective configuration
    std::string_view doc;  // its description for the reference page
    std::variant<Number, Fraction, Text, Choice, Override> value;
};

std::span<const Field> schema();

// The value of a field as it stands in a configuration file.
std::string format_field(const Field& field, const Config& config);

struct Mistake {
    std::string rule;  // one of rules_of() the field
    std::string expected;
};

// Reads `text` into the field. Returns the mistake when it does not fit.
std::optional<Mistake> parse_field(const Field& field, const std::string& text, Config& config);

// The form of a value ("a size such as '24 MiB'") and its range ("4 KiB to 256 KiB"); texts and names have no
// range.
struct Shape {
    std::string type, range;
};
Shape shape_of(const Field& field);

// The rules a value of the field is held to: "KEY type", "KEY range" where there is one.
std::vector<std::string> rules_of(const Field& field);

// Returns the field of this key; nullptr: there is none.
const Field* find_field(std::string_view key);

}  // namespace trnsim::config
