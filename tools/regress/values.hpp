// Reads values from the nodes of lists, with a message for other contents.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/config/document.hpp"

namespace trnsim::regress {

// Throws "`key`: found 'text', expected ...".
[[noreturn]] void mismatch(const config::Location& where, std::string_view rule, const std::string& key,
                           const std::string& found, std::string_view expected);

std::string scalar(const std::string& key, const YAML::Node& node, const config::Location& where);
bool flag(const std::string& key, const YAML::Node& node, const config::Location& where);
// Reads e.g. "90 %".
double percent(const std::string& key, const YAML::Node& node, const config::Location& where);

// Throw unless the node is a list with entries, or a mapping.
void check_items(const std::string& key, const YAML::Node& node, const config::Location& where);
void check_mapping(const std::string& key, const YAML::Node& node, const config::Location& where);

// Reads a value or a list of different ones; `check(text, place)` checks each.
using Check = std::function<void(const std::string&, const config::Location&)>;
std::vector<std::string> values(const config::Document& document, const std::string& key,
                                const YAML::Node& node, const config::Location& where,
                                const Check& check = {});

}  // namespace trnsim::regress
