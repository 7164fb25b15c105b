#include "arch/config/server.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <system_error>

#include "arch/config/document.hpp"
#include "arch/config/files_of.hpp"
#include "arch/config/folders.hpp"
#include "arch/config/link_faults.hpp"
#include "arch/config/schema.hpp"
#include "arch/config/server_schema.hpp"
#include "arch/config/settings.hpp"
#include "arch/config/values.hpp"

namespace trnsim::config {
namespace {

namespace fs = std::filesystem;

constexpr const char* ServerFolder = "servers";

// Collects the values of a file and of those it extends; what is written nearer to the top wins.
class ServerReader {
  public:
    std::map<std::string, Entry> entries;

    void read(const fs::path& path) {
        const Document document(path, "a server's file");
        seen_.insert(fs::canonical(path));
        std::optional<Entry> base;
        section(document, "", document.root(), base);
        if (!base) return;
        const std::string name = base->node.Scalar();
        const auto next =
            is_path(name) ? path.parent_path() / name : find_in(ServerFolder, name).value_or("");
        std::error_code unreachable;
        if (!fs::is_regular_file(next, unreachable)) {
            fail(base->place, RuleExtendsFile,
                 fmt::format("extends: found '{}', expected a file beside this one, or one of {}", name,
                             fmt::join(shipped_servers(), " ")));
        }
        if (seen_.contains(fs::canonical(next))) {
            fail(base->place, RuleExtendsCircle,
                 fmt::format("extends: found '{}', expected a file that does not lead back here", name));
        }
        read(next);
    }

    const std::set<fs::path>& files() const { return seen_; }

    // Call it before anything is read: the setting wins over all files.
    void set(const Setting& setting) {
        if (!is_server_key(setting.key)) return;
        try {
            entries[setting.key] = {YAML::Load(setting.value), setting.place};
        } catch (const YAML::Exception&) {
            fail(setting.place, RuleSyntax, "the value is no YAML, expected one as in a file");
        }
    }

  private:
    void section(const Document& document, const std::string& path, const YAML::Node& map,
                 std::optional<Entry>& base) {
        std::vector<std::string> keys = keys_under(path, server_schema());
        if (path.empty()) keys.insert(keys.begin(), std::string(Extends));
        document.entries(
            map, path, keys, [&](const std::string& key, const YAML::Node& node, const Location& where) {
                const std::string full = join_key(path, key);
                if (full == Extends) {
                    if (!node.IsScalar())
                        fail(where, RuleValue,
                             fmt::format("{}: found {}, expected a value", full, kind(node)));
                    base = Entry{node, where};
                } else if (is_server_key(full)) {
                    entries.try_emplace(full, Entry{node, where});
                } else {
                    if (!node.IsMap())
                        fail(where, RuleMapping,
                             fmt::format("{}: found {}, expected a mapping of keys", full, kind(node)));
                    section(document, full, node, base);
                }
            });
    }

    std::set<fs::path> seen_;
};

[[noreturn]] void refuse(const Location& place, std::string_view rule, std::string_view key,
                         const std::string& found, const std::string& expected) {
    fail(place, rule, fmt::format("{}: found {}, expected {}", key, found, expected));
}

// Returns the place of a part of a value; that of the value where the part's is not known.
Location at(Location place, const YAML::Mark& mark) {
    if (mark.is_null() || place.line == 0) return place;
    place.line = mark.line + 1;
    place.column = mark.column + 1;
    return place;
}

Location place_of_cut(const std::string& text) {
    return {fmt::format("--cut {}", text), 0, 0};
}

LinkFault read_cut(const std::string& text) {
    auto fault = parse_cut(text);
    if (!fault)
        fail(place_of_cut(text), RuleValue,
             "found no link and time, expected LINK@TIME or LINK@TIME..TIME such as 0.E@10us..40us");
    if (fault->until <= fault->at)
        fail(place_of_cut(text), RuleValue,
             fmt::format("found an end at {}, expected one after {}",
                         format_quantity(fault->until, Quantity::Time),
                         format_quantity(fault->at, Quantity::Time)));
    return *std::move(fault);
}

}  // namespace

Server read_server(const std::string& name_or_path, const ServerCheck& check,
                   std::span<const std::string> texts, std::span<const std::string> cuts) {
    const fs::path path = resolve_in(ServerFolder, "server", name_or_path);
    const std::vector<Setting> settings = read_settings(texts);
    ServerReader reader;
    for (const Setting& setting : settings) reader.set(setting);
    reader.read(path);
    Server server;
    for (const ServerField& field : server_schema()) {
        const auto entry = reader.entries.find(std::string(field.key));
        if (entry == reader.entries.end()) {
            if (field.optional) continue;
            refuse({path.string()}, RuleMissing, field.key, "nothing",
                   "it here or in a file this one extends");
        }
        const auto& [node, place] = entry->second;
        if (const auto mistake = read_field(field, node, server))
            refuse(at(place, mistake->place), mistake->rule, field.key,
                   mistake->found.empty() ? found(node) : mistake->found, mistake->expected);
    }
    if (!settings.empty()) apply_settings(settings, server.chip);
    const std::size_t written = server.faults.size();
    for (const std::string& text : cuts) server.faults.push_back(read_cut(text));
    if (const auto violation = check(server)) {
        if (violation->fault && *violation->fault >= written)
            fail(place_of_cut(cuts[*violation->fault - written]), violation->key,
                 fmt::format("found {}, expected {}", violation->found, violation->expected));
        const auto entry = reader.entries.find(violation->key);
        if (entry == reader.entries.end())
            throw std::logic_error(fmt::format("a server's file has no key {}", violation->key));
        const auto& [node, place] = entry->second;
        const auto mark = violation->fault ? node[*violation->fault].Mark() : YAML::Mark::null_mark();
        refuse(at(place, mark), violation->key, violation->key,
               violation->found.empty() ? found(node) : violation->found, violation->expected);
    }
    return server;
}

std::set<fs::path> files_of_server(const std::string& name_or_path) {
    ServerReader reader;
    reader.read(resolve_in(ServerFolder, "server", name_or_path));
    std::set<fs::path> files = reader.files();
    files.merge(files_of(read_server(name_or_path, [](const Server&) { return std::nullopt; }).chip_name));
    return files;
}

std::uint32_t Server::cores() const {
    std::size_t count = 0;
    for (const SlotKinds& kinds : slots) count += kinds.size();
    return static_cast<std::uint32_t>(count);
}

bool Server::has_faults() const {
    return links.error_rate > 0 || links.loss_rate > 0 || !faults.empty();
}

std::vector<std::string> shipped_servers() {
    return names_in(ServerFolder);
}

namespace {

bool is_server_file(const fs::path& path, std::set<fs::path>& seen) {
    std::error_code unreachable;
    if (!fs::is_regular_file(path, unreachable) || !seen.insert(fs::canonical(path)).second) return false;
    const Document document(path, "a configuration's or a server's file");
    std::vector<std::string> own = keys_under("", server_schema());
    const std::vector<std::string> shared = keys_under("", schema());
    std::erase_if(own,
                  [&](const std::string& key) { return std::ranges::find(shared, key) != shared.end(); });
    for (const auto& entry : document.root()) {
        if (entry.first.IsScalar() && std::ranges::find(own, entry.first.Scalar()) != own.end()) return true;
    }
    const YAML::Node base = document.root()[std::string(Extends)];
    if (!base || !base.IsScalar()) return false;
    const std::string& name = base.Scalar();
    return is_path(name) ? is_server_file(path.parent_path() / name, seen)
                         : find_in(ServerFolder, name).has_value();
}

}  // namespace

bool is_server(const std::string& name_or_path) {
    if (!is_path(name_or_path)) return find_in(ServerFolder, name_or_path).has_value();
    std::set<fs::path> seen;
    return is_server_file(name_or_path, seen);
}

std::vector<std::string> server_rules() {
    std::vector<std::string> rules;
    for (const std::string_view rule :
         {RuleSyntax, RuleDocuments, RuleTop, RuleUnknownKey, RuleKeyTwice, RuleValue, RuleMapping,
          RuleExtendsFile, RuleExtendsCircle, RuleMissing}) {
        rules.emplace_back(rule);
    }
    for (const ServerField& field : server_schema()) {
        rules.push_back(fmt::format("{} type", field.key));
        if (!range_of(field).empty()) rules.push_back(fmt::format("{} range", field.key));
    }
    return rules;
}

std::string format_server_number(std::string_view key, std::uint64_t value) {
    const auto field = std::ranges::find(server_schema(), key, &ServerField::key);
    const auto* number = field == server_schema().end() ? nullptr : std::get_if<ServerNumber>(&field->value);
    if (number == nullptr) throw std::out_of_range(fmt::format("{} is no number", key));
    return format_quantity(value, number->quantity);
}

Values values_of(const Server& server) {
    Values values;
    for (const ServerField& field : server_schema())
        values.emplace_back(field.key, format_field(field, server));
    for (const Field& field : schema()) values.emplace_back(field.key, format_field(field, server.chip));
    return values;
}

std::vector<ServerKey> server_keys() {
    std::vector<ServerKey> keys;
    for (const ServerField& field : server_schema()) {
        const auto* number = std::get_if<ServerNumber>(&field.value);
        const std::string_view type =
            number == nullptr ? std::get<ServerValue>(field.value).type : describe(number->quantity);
        keys.push_back({field.key, field.doc, std::string(type), range_of(field)});
    }
    return keys;
}

}  // namespace trnsim::config
