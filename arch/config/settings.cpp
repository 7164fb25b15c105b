#include "arch/config/settings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/config/nearest.hpp"
#include "arch/config/rules.hpp"
#include "arch/config/schema.hpp"
#include "arch/config/server_schema.hpp"

namespace trnsim::config {
namespace {

std::vector<std::string> all_keys() {
    std::vector<std::string> keys;
    for (const ServerField& field : server_schema()) keys.emplace_back(field.key);
    for (const Field& field : schema()) keys.emplace_back(field.key);
    return keys;
}

[[noreturn]] void refuse(const Setting& setting, std::string_view rule, const std::string& expected) {
    fail(setting.place, rule,
         fmt::format("{}: found '{}', expected {}", setting.key, setting.value, expected));
}

}  // namespace

bool is_server_key(const std::string& key) {
    return std::ranges::find(server_schema(), key, &ServerField::key) != server_schema().end();
}

std::vector<Setting> read_settings(std::span<const std::string> texts) {
    std::vector<Setting> settings;
    for (const std::string& text : texts) {
        const Location place{text, 0, 0};
        const std::size_t sign = text.find('=');
        if (sign == std::string::npos) fail(place, RuleValue, "found no '=', expected KEY=VALUE");
        Setting setting{text.substr(0, sign), text.substr(sign + 1), place};
        if (!is_server_key(setting.key) && find_field(setting.key) == nullptr)
            fail(place, RuleUnknownKey,
                 fmt::format("no key of a server or its chips, expected one, perhaps {}",
                             nearest(setting.key, all_keys())));
        if (std::ranges::find(settings, setting.key, &Setting::key) != settings.end())
            fail(place, RuleKeyTwice, "the second value of this key, expected one");
        settings.push_back(std::move(setting));
    }
    return settings;
}

void apply_settings(std::span<const Setting> settings, Config& config) {
    for (const Setting& setting : settings) {
        if (is_server_key(setting.key)) continue;
        if (const auto mistake = parse_field(*find_field(setting.key), setting.value, config))
            refuse(setting, mistake->rule, mistake->expected);
    }
    const auto violation = check_rules(config);
    if (!violation) return;
    // The key may be one that was not set, but does not fit those that were.
    const auto given = std::ranges::find(settings, violation->key, &Setting::key);
    if (given != settings.end()) refuse(*given, violation->rule, violation->expected);
    const std::string key(violation->key);
    const Setting& last = settings.back();
    refuse({key, format_field(*find_field(key), config), last.place}, violation->rule, violation->expected);
}

}  // namespace trnsim::config
