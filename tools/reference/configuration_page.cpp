#include <array>

#include "arch/config/rules.hpp"
#include "arch/config/schema.hpp"
#include "tools/reference/markdown.hpp"
#include "tools/reference/pages.hpp"

namespace trnsim::reference {
namespace {

constexpr std::array Shown{"trn1", "small16"};  // configurations with values in the table

// Returns whether another value of the key makes another core.
bool is_rtl_parameter(const config::Field& field, const config::Config& config) {
    constexpr std::array Others{"1", "2", "512 B", "1 KiB", "1 GHz", "1 GB/s", "1 ns", "other"};
    for (const char* other : Others) {
        config::Config changed = config;
        config::parse_field(field, other, changed);
        if (config::rtl_parameters(changed) != config::rtl_parameters(config)) return true;
    }
    return false;
}

}  // namespace

std::string configuration_page() {
    std::vector<config::Config> configs;
    Row heading{"key", "meaning", "type", "range", "RTL"};
    for (const char* name : Shown) {
        configs.push_back(config::load(name));
        heading.emplace_back(name);
    }
    std::vector<Row> keys, rules;
    for (const config::Field& field : config::schema()) {
        const config::Shape shape = config::shape_of(field);
        Row row{code(field.key), std::string(field.doc), shape.type, shape.range,
                is_rtl_parameter(field, configs[0]) ? "yes" : ""};
        for (const config::Config& config : configs) row.push_back(config::format_field(field, config));
        keys.push_back(std::move(row));
    }
    for (const config::RuleInfo& rule : config::combination_rules())
        rules.push_back({code(rule.key), std::string(rule.doc), code(rule.name)});
    return "How to write, extend and check a configuration, and where the figures of trn1 come from: "
           "[configuration.md](configuration.md).\n\n"
           "## Keys\n\n"
           "In the order of `trnsim config show`. No key has a default: it stands in the file or in one that "
           "the "
           "file extends. RTL: a parameter of\nthe core, so another value needs another core. The last "
           "columns "
           "are the values of shipped configurations.\n\n" +
           table(heading, keys) +
           "## Rules\n\n"
           "Beyond ranges; the key named is the one a message blames.\n\n" +
           table({"key", "has to be", "rule"}, rules);
}

}  // namespace trnsim::reference
