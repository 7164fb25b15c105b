#include "tools/regress/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "tools/regress/rules.hpp"

namespace trnsim::regress {

using config::fail;
using config::Location;

void mismatch(const Location& where, std::string_view rule, const std::string& key, const std::string& found,
              std::string_view expected) {
    fail(where, rule, fmt::format("{}: found '{}', expected {}", key, found, expected));
}

std::string scalar(const std::string& key, const YAML::Node& node, const Location& where) {
    if (!node.IsScalar())
        fail(where, config::RuleValue,
             fmt::format("{}: found {}, expected a value", key, config::kind(node)));
    return node.Scalar();
}

bool flag(const std::string& key, const YAML::Node& node, const Location& where) {
    const std::string text = scalar(key, node, where);
    if (text != "true" && text != "false") mismatch(where, rule::Flag, key, text, "true or false");
    return text == "true";
}

double percent(const std::string& key, const YAML::Node& node, const Location& where) {
    const std::string text = scalar(key, node, where);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool right = error == std::errc() && std::string_view(end, text.data() + text.size()) == " %";
    if (!right || !(value >= 0 && value <= 100)) mismatch(where, rule::Percent, key, text, "0 % to 100 %");
    return value;
}

void check_items(const std::string& key, const YAML::Node& node, const Location& where) {
    if (!node.IsSequence())
        fail(where, rule::List, fmt::format("{}: found {}, expected a list", key, config::kind(node)));
    if (node.size() == 0)
        fail(where, rule::Empty, fmt::format("{}: found an empty list, expected entries", key));
}

void check_mapping(const std::string& key, const YAML::Node& node, const Location& where) {
    if (!node.IsMap())
        fail(where, config::RuleMapping,
             fmt::format("{}: found {}, expected a mapping of keys", key, config::kind(node)));
}

std::vector<std::string> values(const config::Document& document, const std::string& key,
                                const YAML::Node& node, const Location& where, const Check& check) {
    std::vector<std::string> all;
    const auto add = [&](const YAML::Node& item, const Location& place) {
        all.push_back(scalar(key, item, place));
        if (check) check(all.back(), place);
        if (std::ranges::count(all, all.back()) > 1)
            fail(place, rule::ValueTwice,
                 fmt::format("{}: found '{}' twice, expected every value once", key, all.back()));
    };
    if (node.IsScalar()) {
        add(node, where);
    } else {
        check_items(key, node, where);
        for (const YAML::Node& item : node) add(item, document.place(item));
    }
    return all;
}

}  // namespace trnsim::regress
