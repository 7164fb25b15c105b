// A YAML file with places, so that every reader of such a file names a mistake by file, line and column.
#pragma once

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/config/config.hpp"

namespace trnsim::config {

// The place where something was written; lines and columns count from 1. Line 0: `file` is the whole place.
struct Location {
    std::string file;
    int line = 1, column = 1;
};

// Throws Error `file:line:column: message`.
[[noreturn]] void fail(const Location& place, std::string_view rule, const std::string& message);

// The rules every document is held to, by the names Error::rule has.
inline constexpr std::string_view RuleUnreadable = "unreadable", RuleSyntax = "syntax",
                                  RuleDocuments = "one-document", RuleTop = "top-mapping",
                                  RuleUnknownKey = "unknown-key", RuleKeyTwice = "key-twice",
                                  RuleValue = "value", RuleMapping = "mapping", RuleMissing = "missing-key",
                                  RuleExtendsFile = "extends-file", RuleExtendsCircle = "extends-circle";

// The key of the file that a file extends.
inline constexpr std::string_view Extends = "extends";

// A value and where it is written.
struct Entry {
    YAML::Node node;
    Location place;
};

class Document {
  public:
    // One document whose root is a mapping. Throws Error.
    explicit Document(const std::filesystem::path& path, std::string_view what = "a configuration file");

    const YAML::Node& root() const { return root_; }
    const std::string& file() const { return file_; }
    Location place(const YAML::Mark& mark) const;
    Location place(const YAML::Node& node) const { return place(node.Mark()); }

    // Calls visit(key, value, place of the value, or of the key when there is no value) for every entry of a
    // mapping. Throws Error for keys that come twice or are not among `valid`; in messages they are
    // `section`.key. `elsewhere`, when given, may name a better suggestion than the nearest of `valid`.
    using Visitor = std::function<void(const std::string&, const YAML::Node&, const Location&)>;
    using Suggestion = std::function<std::string(const std::string&)>;
    void entries(const YAML::Node& map, const std::string& section, std::span<const std::string> valid,
                 const Visitor& visit, const Suggestion& elsewhere = {}) const;

  private:
    std::string file_;
    YAML::Node root_;
};

// Returns "a mapping", "a list", "a value" or "nothing".
std::string_view kind(const YAML::Node& node);

// "core.array" and "rows" make "core.array.rows"; the root is "".
std::string join_key(const std::string& section, const std::string& key);

// The keys directly under a section of a table of fields, whose keys are dotted paths, in its order.
std::vector<std::string> keys_under(const std::string& section, const auto& fields) {
    std::vector<std::string> keys;
    const std::string prefix = section.empty() ? "" : section + ".";
    for (const auto& field : fields) {
        if (!field.key.starts_with(prefix)) continue;
        const std::string_view rest = field.key.substr(prefix.size());
        const std::string key(rest.substr(0, rest.find('.')));
        if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
    }
    return keys;
}

}  // namespace trnsim::config
