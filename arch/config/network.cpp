#include "arch/config/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <variant>

#include "arch/config/document.hpp"
#include "arch/config/files_of.hpp"
#include "arch/config/folders.hpp"
#include "arch/config/server_schema.hpp"
#include "arch/config/units.hpp"
#include "arch/config/values.hpp"

namespace trnsim::config {
namespace {

constexpr const char* NetworkFolder = "networks";
constexpr std::string_view RuleSpine = "spine-of-leaves", RuleNoLeaf = "spine-without-leaf";

struct Whole {
    Quantity quantity;
    std::uint64_t& (*of)(Network&);
    std::uint64_t minimum, maximum;
};
struct Decimal {
    double& (*of)(Network&);
    double minimum, maximum;
};
struct NetworkField {
    std::string_view key;  // dotted path
    std::variant<Whole, Decimal> value;
};

#define TRNSIM_WHOLE(key, member, quantity, minimum, maximum)                                           \
    NetworkField {                                                                                      \
        key, Whole {                                                                                    \
            Quantity::quantity, [](Network& n) -> std::uint64_t& { return n.member; }, minimum, maximum \
        }                                                                                               \
    }
#define TRNSIM_DECIMAL(key, member, minimum, maximum)                        \
    NetworkField {                                                           \
        key, Decimal {                                                       \
            [](Network& n) -> double& { return n.member; }, minimum, maximum \
        }                                                                    \
    }

const std::array NetworkFields{
    TRNSIM_DECIMAL("efficiency", efficiency, 0.01, 1),
    TRNSIM_WHOLE("packet", packet, Size, 1, MiB),
    TRNSIM_WHOLE("header", header, Size, 0, 65'536),
    TRNSIM_WHOLE("hop", hop, Time, 0, 1'000'000 * Us),
    TRNSIM_WHOLE("segment", segment, Size, 4096, MiB* MiB),
    TRNSIM_WHOLE("step", step, Time, 0, 1'000'000 * Us),
    TRNSIM_WHOLE("combine", combine, Rate, GB / 1000, 10'000 * GB),
    TRNSIM_WHOLE("leaf.servers", leaf.servers, Count, 0, 65'536),
    TRNSIM_DECIMAL("leaf.oversubscription", leaf.oversubscription, 1, 1000),
    TRNSIM_WHOLE("spine.servers", spine.servers, Count, 0, 65'536),
    TRNSIM_DECIMAL("spine.oversubscription", spine.oversubscription, 1, 1000),
};

std::optional<double> parse_decimal(const std::string& text) {
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
    const bool number = error == std::errc() && rest == end && std::isfinite(value);
    return number ? std::optional(value) : std::nullopt;
}

std::string range_of(const NetworkField& field) {
    if (const auto* decimal = std::get_if<Decimal>(&field.value))
        return fmt::format("{} to {}", decimal->minimum, decimal->maximum);
    const auto& whole = std::get<Whole>(field.value);
    return fmt::format("{} to {}", format_quantity(whole.minimum, whole.quantity),
                       format_quantity(whole.maximum, whole.quantity));
}

// Sets a value that fits; else what is wrong with it.
std::optional<ServerMistake> set(const NetworkField& field, const std::string& text, Network& network) {
    const auto store = [&](const auto& kind, const auto& value, std::string_view type) {
        std::optional<ServerMistake> mistake;
        if (!value)
            mistake = ServerMistake{fmt::format("{} type", field.key), std::string(type)};
        else if (*value < kind.minimum || *value > kind.maximum)
            mistake = ServerMistake{fmt::format("{} range", field.key), range_of(field)};
        else
            kind.of(network) = *value;
        return mistake;
    };
    if (const auto* decimal = std::get_if<Decimal>(&field.value))
        return store(*decimal, parse_decimal(text), "a number such as 1.5");
    const auto& whole = std::get<Whole>(field.value);
    return store(whole, parse_quantity(text, whole.quantity), describe(whole.quantity));
}

using Entries = std::map<std::string, Entry>;

void read_section(const Document& document, const std::string& section, const YAML::Node& map,
                  Entries& entries) {
    document.entries(
        map, section, keys_under(section, NetworkFields),
        [&](const std::string& key, const YAML::Node& node, const Location& where) {
            const std::string full = join_key(section, key);
            if (std::ranges::find(NetworkFields, full, &NetworkField::key) != NetworkFields.end()) {
                entries.emplace(full, Entry{node, where});
                return;
            }
            if (!node.IsMap())
                fail(where, RuleMapping,
                     fmt::format("{}: found {}, expected a mapping of keys", full, kind(node)));
            read_section(document, full, node, entries);
        });
}

// A switch of the spine stands above whole leaves.
void check_tiers(const Network& network, const Entries& entries) {
    const std::uint64_t leaf = network.leaf.servers, spine = network.spine.servers;
    if (spine == 0) return;
    const Entry& entry = entries.at("spine.servers");
    if (leaf == 0)
        fail(entry.place, RuleNoLeaf,
             fmt::format("spine.servers: found {}, expected 0, as leaf.servers is", spine));
    if (spine == leaf || spine % leaf != 0)
        fail(entry.place, RuleSpine,
             fmt::format("spine.servers: found {}, expected 0 or several times leaf.servers, {}", spine,
                         leaf));
}

}  // namespace

std::filesystem::path file_of_network(const std::string& name_or_path) {
    return resolve_in(NetworkFolder, "network", name_or_path);
}

Network read_network(const std::string& name_or_path) {
    const std::filesystem::path path = file_of_network(name_or_path);
    const Document document(path, "a network's file");
    Entries entries;
    read_section(document, "", document.root(), entries);
    Network network;
    for (const NetworkField& field : NetworkFields) {
        const auto entry = entries.find(std::string(field.key));
        if (entry == entries.end())
            fail({path.string()}, RuleMissing, fmt::format("{}: found nothing, expected it", field.key));
        const auto& [node, place] = entry->second;
        if (const auto mistake = set(field, node.IsScalar() ? node.Scalar() : "", network))
            fail(place, mistake->rule,
                 fmt::format("{}: found {}, expected {}", field.key, found(node), mistake->expected));
    }
    check_tiers(network, entries);
    return network;
}

Values values_of(const Network& network) {
    Network copy = network;  // the accessors are for reading and writing
    Values values;
    for (const NetworkField& field : NetworkFields) {
        const auto* decimal = std::get_if<Decimal>(&field.value);
        const auto* whole = std::get_if<Whole>(&field.value);
        values.emplace_back(field.key, decimal != nullptr
                                           ? fmt::format("{}", decimal->of(copy))
                                           : format_quantity(whole->of(copy), whole->quantity));
    }
    return values;
}

std::vector<std::string> shipped_networks() {
    return names_in(NetworkFolder);
}

std::vector<std::string> network_rules() {
    std::vector<std::string> rules;
    for (const std::string_view rule : {RuleSyntax, RuleDocuments, RuleTop, RuleUnknownKey, RuleKeyTwice,
                                        RuleMapping, RuleMissing, RuleSpine, RuleNoLeaf})
        rules.emplace_back(rule);
    for (const NetworkField& field : NetworkFields) {
        rules.push_back(fmt::format("{} type", field.key));
        rules.push_back(fmt::format("{} range", field.key));
    }
    return rules;
}

}  // namespace trnsim::config
