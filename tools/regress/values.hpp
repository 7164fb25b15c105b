// What readers of lists take from nodes, with a message where it is something else.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/config/document.hpp"

namespace trnsim::regress {

// `key`: found 'text', expected ...
[[noreturn]] void mismatch(const config::Place& where, std::string_view rule, const std::string& key,
                           const std::string& found, std::string_view expected);

std::string scalar(const std::string& key, const YAML::Node& node, const config::Place& where);
bool flag(const std::string& key, const YAML::Node& node, const config::Place& where);
// "90 %"
double percent(const std::string& key, const YAML::Node& node, const config::Place& where);

// Throws unless it is a list with entries, a mapping.
void check_items(const std::string& key, const YAML::Node& node, const config::Place& where);
void check_mapping(const std::string& key, const YAML::Node& node, const config::Place& where);

// A value or a list of different ones, each checked by `check(text, place)`.
using Check = std::function<void(const std::string&, const config::Place&)>;
std::vector<std::string> values(const config::Document& document, const std::string& key,
                                const YAML::Node& node, const config::Place& where, const Check& check = {});

}  // namespace trnsim::regress
