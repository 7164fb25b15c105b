#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "testbench/config/config.hpp"
#include "testbench/config/nearest.hpp"
#include "testbench/config/rules.hpp"
#include "testbench/config/schema.hpp"

namespace trnsim::config {
namespace {

constexpr std::string_view Extends = "extends";

// Where a value was written; lines and columns from 1.
struct Place {
    std::string file;
    int line = 1, column = 1;
};

[[noreturn]] void fail(const Place& place, const std::string& message) {
    throw Error(fmt::format("{}:{}:{}: {}", place.file, place.line, place.column, message));
}

struct Value {
    std::string text;
    Place place;
};

// "core.array" and "rows" make "core.array.rows"; the root is "".
std::string join(const std::string& section, const std::string& key) {
    return section.empty() ? key : section + "." + key;
}

// The keys directly under a section, in schema order.
std::vector<std::string> keys_of(const std::string& section) {
    std::vector<std::string> keys;
    if (section.empty()) keys.emplace_back(Extends);
    const std::string prefix = section.empty() ? "" : section + ".";
    for (const Field& field : schema()) {
        if (!field.key.starts_with(prefix)) continue;
        const std::string_view rest = field.key.substr(prefix.size());
        const std::string key(rest.substr(0, rest.find('.')));
        if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    }
    return keys;
}

bool is_field(const std::string& key) {
    return std::any_of(schema().begin(), schema().end(),
                       [&](const Field& field) { return field.key == key; });
}

std::string_view kind(const YAML::Node& node) {
    if (node.IsMap()) return "a mapping";
    if (node.IsSequence()) return "a list";
    return node.IsNull() ? "nothing" : "a value";
}

// Collects the values of a file and of the files it extends; what is written nearer to the top wins.
class Reader {
  public:
    std::map<std::string, Value> values;

    void read(const std::filesystem::path& path) {
        file_ = path.string();
        seen_.insert(std::filesystem::canonical(path));
        YAML::Node root;
        try {
            root = YAML::LoadFile(file_);
        } catch (const YAML::BadFile&) {
            throw Error(fmt::format("{}: cannot be read, expected a configuration file", file_));
        } catch (const YAML::Exception& error) {
            fail(place(error.mark), fmt::format("not YAML: {}", error.msg));
        }
        if (!root.IsMap())
            fail(place(root.Mark()), fmt::format("found {}, expected a mapping of keys", kind(root)));
        section("", root);
        if (!base_) return;
        const Value base = *std::exchange(base_, std::nullopt);
        const std::filesystem::path next = path.parent_path() / base.text;
        if (!std::filesystem::is_regular_file(next)) {
            fail(base.place, fmt::format("extends: found '{}', expected a configuration file beside this one",
                                         base.text));
        }
        if (seen_.contains(std::filesystem::canonical(next))) {
            fail(base.place,
                 fmt::format("extends: found '{}', expected a file that does not lead back here", base.text));
        }
        read(next);
    }

  private:
    Place place(const YAML::Mark& mark) const {
        return {file_, std::max(mark.line, 0) + 1, std::max(mark.column, 0) + 1};
    }

    void section(const std::string& path, const YAML::Node& map) {
        std::set<std::string> here;
        for (const auto& item : map) {
            const YAML::Node& key_node = item.first;
            const YAML::Node& node = item.second;
            const std::string key = key_node.IsScalar() ? key_node.Scalar() : "?";
            const std::string full = join(path, key);
            const std::vector<std::string> valid = keys_of(path);
            if (std::find(valid.begin(), valid.end(), key) == valid.end()) {
                fail(place(key_node.Mark()), fmt::format("unknown key '{}', expected one like '{}'", full,
                                                         join(path, nearest(key, valid))));
            }
            if (!here.insert(key).second)
                fail(place(key_node.Mark()), fmt::format("{}: found twice, expected once", full));
            entry(full, node, place(node.IsNull() ? key_node.Mark() : node.Mark()));
        }
    }

    void entry(const std::string& full, const YAML::Node& node, const Place& where) {
        const bool leaf = full == Extends || is_field(full);
        if (leaf ? !node.IsScalar() : !node.IsMap()) {
            fail(where, fmt::format("{}: found {}, expected {}", full, kind(node),
                                    leaf ? "a value" : "a mapping of keys"));
        }
        if (full == Extends) {
            base_ = Value{node.Scalar(), where};
        } else if (leaf) {
            values.try_emplace(full, Value{node.Scalar(), where});
        } else {
            section(full, node);
        }
    }

    std::string file_;
    std::optional<Value> base_;
    std::set<std::filesystem::path> seen_;
};

std::string mismatch(std::string_view key, const std::string& found, const std::string& expected) {
    return fmt::format("{}: found '{}', expected {}", key, found, expected);
}

}  // namespace

Config load(const std::string& name_or_path) {
    const std::filesystem::path path = resolve(name_or_path);
    Reader reader;
    reader.read(path);
    Config config;
    for (const Field& field : schema()) {
        const auto found = reader.values.find(std::string(field.key));
        if (found == reader.values.end()) {
            throw Error(
                fmt::format("{}:1:1: {}: found nothing, expected it here or in a file this one extends",
                            path.string(), field.key));
        }
        const std::string expected = parse_field(field, found->second.text, config);
        if (!expected.empty()) fail(found->second.place, mismatch(field.key, found->second.text, expected));
    }
    if (const auto violation = check_rules(config)) {
        const Value& value = reader.values.at(std::string(violation->key));
        fail(value.place, mismatch(violation->key, value.text, violation->expected));
    }
    return config;
}

}  // namespace trnsim::config
