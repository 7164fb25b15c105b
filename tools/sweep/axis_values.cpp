#include "tools/sweep/axis_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>

#include "tools/sweep/rules.hpp"

namespace trnsim::sweep {
namespace {

using config::fail;
using config::Location;
using config::Quantity;

const std::vector<std::string> RangeKeys{"from", "to", "step", "factor", "points", "scale"};

struct Range {
    const std::string& key;
    Quantity quantity;
    Location place;
    std::map<std::string, PlacedValue> given;

    bool has(const std::string& name) const { return given.contains(name); }
    [[noreturn]] void refuse(const std::string& name, std::string_view rule,
                             const std::string& expected) const {
        const PlacedValue& value = given.at(name);
        fail(value.place, rule,
             fmt::format("{}.{}: found '{}', expected {}", key, name, value.text, expected));
    }
    std::uint64_t number(const std::string& name) const {
        const auto value = config::parse_quantity(given.at(name).text, quantity);
        if (!value) refuse(name, rule::RangeBounds, std::string(config::describe(quantity)));
        return *value;
    }
    double factor() const {
        const std::string& text = given.at("factor").text;
        double value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size() || !(value > 1) || !std::isfinite(value))
            refuse("factor", rule::RangeAdvance, "a number above 1");
        return value;
    }
};

Range read_range(const config::Document& document, const YAML::Node& node, const Location& place,
                 const std::string& key, Quantity quantity) {
    Range range{key, quantity, place, {}};
    document.entries(
        node, key, RangeKeys, [&](const std::string& name, const YAML::Node& value, const Location& where) {
            if (!value.IsScalar())
                fail(where, config::RuleValue,
                     fmt::format("{}.{}: found {}, expected a value", key, name, config::kind(value)));
            range.given[name] = {value.Scalar(), where};
        });
    for (const char* name : {"from", "to"}) {
        if (!range.has(name))
            fail(place, rule::RangeBounds,
                 fmt::format("{}: found a range without '{}', expected it", key, name));
    }
    if (range.has("step") + range.has("factor") + range.has("points") != 1)
        fail(place, rule::RangeAdvance, fmt::format("{}: expected one of step, factor and points", key));
    if (range.has("scale") && !range.has("points"))
        range.refuse("scale", rule::RangeAdvance, "it only with points");
    return range;
}

std::vector<std::uint64_t> linear(std::uint64_t from, std::uint64_t to, std::uint64_t step) {
    std::vector<std::uint64_t> values;
    for (std::uint64_t value = from; values.size() <= MaxAxisValues; value += step) {
        values.push_back(value);
        if (to - value < step) break;
    }
    return values;
}

// Rounds to whole numbers. Neighbours that become equal are kept once.
std::vector<std::uint64_t> rounded(const std::vector<double>& exact) {
    std::vector<std::uint64_t> values;
    for (const double value : exact) {
        const auto whole = static_cast<std::uint64_t>(std::llround(value));
        if (values.empty() || values.back() != whole) values.push_back(whole);
    }
    return values;
}

std::vector<std::uint64_t> geometric(double from, double to, double factor) {
    std::vector<double> values;
    constexpr double Slack = 1 + 1e-12;  // keeps the last value in spite of rounded factors
    double value = from;
    while (value <= to * Slack && values.size() <= MaxAxisValues) {
        values.push_back(value);
        value *= factor;
    }
    return rounded(values);
}

std::vector<std::uint64_t> spread(const Range& range, std::uint64_t from, std::uint64_t to) {
    const auto count = config::parse_quantity(range.given.at("points").text, Quantity::Count);
    if (!count || *count < 2 || *count > MaxAxisValues)
        range.refuse("points", rule::RangeAdvance, fmt::format("a whole number from 2 to {}", MaxAxisValues));
    const std::string scale = range.has("scale") ? range.given.at("scale").text : "linear";
    if (scale != "linear" && scale != "log") range.refuse("scale", rule::RangeAdvance, "linear or log");
    const auto low = static_cast<double>(from), high = static_cast<double>(to);
    std::vector<double> values;
    for (std::uint64_t i = 0; i < *count; ++i) {
        const double share = static_cast<double>(i) / static_cast<double>(*count - 1);
        values.push_back(scale == "log" ? low * std::pow(high / low, share) : low + (high - low) * share);
    }
    return rounded(values);
}

std::vector<PlacedValue> range_values(const Range& range) {
    const std::uint64_t from = range.number("from"), to = range.number("to");
    if (from > to)
        range.refuse("to", rule::RangeBounds, fmt::format("at least {}", range.given.at("from").text));
    const bool ratios = range.has("factor") || (range.has("scale") && range.given.at("scale").text == "log");
    if (ratios && from == 0) range.refuse("from", rule::RangeBounds, "more than 0");
    std::vector<std::uint64_t> numbers;
    if (range.has("step")) {
        const std::uint64_t step = range.number("step");
        if (step == 0) range.refuse("step", rule::RangeAdvance, "more than 0");
        numbers = linear(from, to, step);
    } else if (range.has("factor")) {
        numbers = geometric(static_cast<double>(from), static_cast<double>(to), range.factor());
    } else {
        numbers = spread(range, from, to);
    }
    if (numbers.size() > MaxAxisValues)
        fail(range.place, rule::RangeLength,
             fmt::format("{}: expected at most {} values", range.key, MaxAxisValues));
    std::vector<PlacedValue> values;
    values.reserve(numbers.size());
    for (const std::uint64_t number : numbers)
        values.push_back({config::format_quantity(number, range.quantity), range.place});
    return values;
}

std::vector<PlacedValue> list_values(const config::Document& document, const YAML::Node& list,
                                     const Location& place, const std::string& key) {
    std::vector<PlacedValue> values;
    for (const YAML::Node& item : list) {
        if (!item.IsScalar())
            fail(document.place(item), config::RuleValue,
                 fmt::format("{}: found {} in the list, expected values", key, config::kind(item)));
        values.push_back({item.Scalar(), document.place(item)});
        if (std::ranges::count(values, item.Scalar(), &PlacedValue::text) > 1)
            fail(document.place(item), rule::ValueTwice,
                 fmt::format("{}: found '{}' twice, expected every value once", key, item.Scalar()));
    }
    if (values.empty())
        fail(place, rule::Empty, fmt::format("{}: found an empty list, expected values", key));
    if (values.size() > MaxAxisValues)
        fail(place, rule::RangeLength, fmt::format("{}: expected at most {} values", key, MaxAxisValues));
    return values;
}

}  // namespace

std::vector<PlacedValue> axis_values(const config::Document& document, const YAML::Node& node,
                                     const Location& place, const std::string& key,
                                     std::optional<Quantity> quantity) {
    if (node.IsScalar()) return {{node.Scalar(), place}};
    if (node.IsSequence()) return list_values(document, node, place, key);
    if (!node.IsMap())
        fail(place, config::RuleValue,
             fmt::format("{}: found {}, expected a value, a list or a range", key, config::kind(node)));
    if (!quantity)
        fail(place, rule::RangeUnordered, fmt::format("{}: found a range, expected a list of values", key));
    return range_values(read_range(document, node, place, key, *quantity));
}

}  // namespace trnsim::sweep
