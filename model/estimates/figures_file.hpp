// Tables of published figures as YAML: each figure is `{ value: NUMBER UNIT, source: TEXT }`; the source is
// required.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "arch/config/document.hpp"

namespace trnsim::estimates {

// Rules of such files for Error::rule, besides those of every document.
inline constexpr std::string_view RuleNumber = "number", RuleMissing = "missing-key", RuleList = "list",
                                  RuleOrder = "order", RulePoints = "points";

struct FigureRow {
    std::string_view key, unit;
};

using Entry = std::function<void(const YAML::Node&, const config::Location&)>;

// Calls the entry of every key of a mapping; keys without an entry, twice or missing are an Error.
void read_mapping(const config::Document& document, const YAML::Node& node, const config::Location& where,
                  const std::string& section, const std::map<std::string, Entry>& entries);

// Reads a text that is not empty.
std::string read_text(const YAML::Node& node, const config::Location& where, const std::string& name);

// Reads a positive number of the unit: "0.59 pJ". With an empty unit there is only the number.
double read_number(const YAML::Node& node, const config::Location& where, const std::string& name,
                   std::string_view unit);

// Reads { value: ..., source: ... } in the unit.
double read_figure(const config::Document& document, const YAML::Node& node, const config::Location& where,
                   const std::string& name, std::string_view unit);

// Reads all figures of a section, by key.
std::map<std::string, double> read_figures(const config::Document& document, const YAML::Node& node,
                                           const config::Location& where, const std::string& section,
                                           std::span<const FigureRow> rows);

}  // namespace trnsim::estimates
