#include "model/estimates/figures_file.hpp"

#include <fmt/format.h>

#include <charconv>
#include <vector>

namespace trnsim::estimates {

using config::Document;
using config::join_key;
using config::kind;
using config::Location;

void read_mapping(const Document& document, const YAML::Node& node, const Location& where,
                  const std::string& section, const std::map<std::string, Entry>& entries) {
    if (!node.IsMap()) {
        config::fail(where, config::RuleMapping,
                     fmt::format("{}: found {}, expected a mapping of keys", section, kind(node)));
    }
    std::vector<std::string> keys;
    keys.reserve(entries.size());
    for (const auto& [key, entry] : entries) keys.push_back(key);
    std::map<std::string, bool> seen;
    document.entries(node, section, keys,
                     [&](const std::string& key, const YAML::Node& value, const Location& place) {
                         seen[key] = true;
                         entries.at(key)(value, place);
                     });
    for (const std::string& key : keys) {
        if (!seen.contains(key))
            config::fail(where, RuleMissing,
                         fmt::format("{}: found nothing, expected it here", join_key(section, key)));
    }
}

std::string read_text(const YAML::Node& node, const Location& where, const std::string& name) {
    if (!node.IsScalar() || node.Scalar().empty())
        config::fail(where, config::RuleValue,
                     fmt::format("{}: found {}, expected a text", name, kind(node)));
    return node.Scalar();
}

double read_number(const YAML::Node& node, const Location& where, const std::string& name,
                   std::string_view unit) {
    const std::string text = node.IsScalar() ? node.Scalar() : std::string(kind(node));
    const std::string suffix = unit.empty() ? "" : " " + std::string(unit);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || std::string_view(end) != suffix || !(value > 0) || value > 1e300) {
        config::fail(where, RuleNumber,
                     fmt::format("{}: found '{}', expected a positive number{}", name, text,
                                 unit.empty() ? "" : fmt::format(" such as '0.5 {}'", unit)));
    }
    return value;
}

double read_figure(const Document& document, const YAML::Node& node, const Location& where,
                   const std::string& name, std::string_view unit) {
    double value = 0;
    read_mapping(
        document, node, where, name,
        {{"value", [&](const YAML::Node& found,
                       const Location& place) { value = read_number(found, place, name + ".value", unit); }},
         {"source", [&](const YAML::Node& found, const Location& place) {
              read_text(found, place, name + ".source");
          }}});
    return value;
}

std::map<std::string, double> read_figures(const Document& document, const YAML::Node& node,
                                           const Location& where, const std::string& section,
                                           std::span<const FigureRow> rows) {
    std::map<std::string, double> values;
    std::map<std::string, Entry> entries;
    for (const FigureRow& row : rows) {
        entries[std::string(row.key)] = [&, row](const YAML::Node& found, const Location& place) {
            const std::string key(row.key);
            values[key] = read_figure(document, found, place, join_key(section, key), row.unit);
        };
    }
    read_mapping(document, node, where, section, entries);
    return values;
}

}  // namespace trnsim::estimates
