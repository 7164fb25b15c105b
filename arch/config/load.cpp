#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "arch/config/config.hpp"
#include "arch/config/document.hpp"
#include "arch/config/files_of.hpp"
#include "arch/config/rules.hpp"
#include "arch/config/schema.hpp"

namespace trnsim::config {
namespace {

struct Value {
    std::string text;
    Location place;
};

// The one field or section of this name that stands in another section; empty: none or several.
std::string elsewhere(const std::string& key) {
    std::set<std::string> found;
    for (const Field& field : schema()) {
        const std::string path = "." + std::string(field.key) + ".";
        const std::size_t at = path.find("." + key + ".");
        if (at != std::string::npos) found.insert(path.substr(1, at + key.size()));
    }
    return found.size() == 1 ? *found.begin() : "";
}

// Collects the values of a file and of the files it extends; what is written nearer to the top wins.
class ConfigReader {
  public:
    std::map<std::string, Value> values;

    void read(const std::filesystem::path& path) {
        const Document document(path);
        seen_.insert(std::filesystem::canonical(path));
        section(document, "", document.root());
        if (!base_) return;
        const Value base = *std::exchange(base_, std::nullopt);
        std::filesystem::path next = path.parent_path() / base.text;
        std::error_code unreachable;
        if (!std::filesystem::is_regular_file(next, unreachable)) {
            const std::vector<std::string> names = shipped();
            if (std::ranges::find(names, base.text) == names.end())
                fail(base.place, RuleExtendsFile,
                     fmt::format(
                         "extends: found '{}', expected a configuration file beside this one, or one of {}",
                         base.text, fmt::join(names, " ")));
            next = resolve(base.text);
        }
        if (seen_.contains(std::filesystem::canonical(next))) {
            fail(base.place, RuleExtendsCircle,
                 fmt::format("extends: found '{}', expected a file that does not lead back here", base.text));
        }
        read(next);
    }

    const std::set<std::filesystem::path>& files() const { return seen_; }

  private:
    void section(const Document& document, const std::string& path, const YAML::Node& map) {
        std::vector<std::string> keys = keys_under(path, schema());
        if (path.empty()) keys.insert(keys.begin(), std::string(Extends));
        document.entries(
            map, path, keys,
            [&](const std::string& key, const YAML::Node& node, const Location& where) {
                entry(document, join_key(path, key), node, where);
            },
            elsewhere);
    }

    void entry(const Document& document, const std::string& full, const YAML::Node& node,
               const Location& where) {
        const bool leaf = full == Extends || find_field(full) != nullptr;
        if (leaf ? !node.IsScalar() : !node.IsMap()) {
            fail(where, leaf ? RuleValue : RuleMapping,
                 fmt::format("{}: found {}, expected {}", full, kind(node),
                             leaf ? "a value" : "a mapping of keys"));
        }
        if (full == Extends) {
            base_ = Value{node.Scalar(), where};
        } else if (leaf) {
            values.try_emplace(full, Value{node.Scalar(), where});
        } else {
            section(document, full, node);
        }
    }

    std::optional<Value> base_;
    std::set<std::filesystem::path> seen_;
};

std::string mismatch(std::string_view key, const std::string& found, const std::string& expected) {
    return fmt::format("{}: found '{}', expected {}", key, found, expected);
}

}  // namespace

Config load(const std::string& name_or_path) {
    const std::filesystem::path path = resolve(name_or_path);
    ConfigReader reader;
    reader.read(path);
    Config config;
    for (const Field& field : schema()) {
        const auto found = reader.values.find(std::string(field.key));
        if (found == reader.values.end()) {
            fail({path.string()}, RuleMissing,
                 fmt::format("{}: found nothing, expected it here or in a file this one extends", field.key));
        }
        if (const auto mistake = parse_field(field, found->second.text, config)) {
            fail(found->second.place, mistake->rule,
                 mismatch(field.key, found->second.text, mistake->expected));
        }
    }
    if (const auto violation = check_rules(config)) {
        const Value& value = reader.values.at(std::string(violation->key));
        // The value may be valid in its own file, which this one extends.
        const std::string whose =
            value.place.file == path.string() ? "" : fmt::format(", in {}", path.string());
        fail(value.place, violation->rule, mismatch(violation->key, value.text, violation->expected) + whose);
    }
    return config;
}

std::set<std::filesystem::path> files_of(const std::string& name_or_path) {
    ConfigReader reader;
    reader.read(resolve(name_or_path));
    return reader.files();
}

std::vector<std::string> all_rules() {
    std::vector<std::string> rules;
    for (const std::string_view rule :
         {RuleSyntax, RuleDocuments, RuleTop, RuleUnknownKey, RuleKeyTwice, RuleValue, RuleMapping,
          RuleExtendsFile, RuleExtendsCircle, RuleMissing}) {
        rules.emplace_back(rule);
    }
    for (const Field& field : schema()) std::ranges::move(rules_of(field), std::back_inserter(rules));
    for (const RuleInfo& rule : combination_rules()) rules.emplace_back(rule.name);
    return rules;
}

}  // namespace trnsim::config
