#include <fmt/format.h>

#include <vector>

#include "arch/config/config.hpp"
#include "arch/config/schema.hpp"
#include "arch/config/server.hpp"
#include "arch/config/server_schema.hpp"

namespace trnsim::config {
namespace {

std::vector<std::string> split(std::string_view key) {
    std::vector<std::string> parts;
    for (std::size_t dot = 0; (dot = key.find('.')) != std::string_view::npos; key.remove_prefix(dot + 1)) {
        parts.emplace_back(key.substr(0, dot));
    }
    parts.emplace_back(key);
    return parts;
}

// Returns the fields of a table of dotted keys, each on a line, in sections.
std::string in_sections(const auto& fields, const auto& shown) {
    std::string text;
    std::vector<std::string> open;  // the section of the previous line
    for (const auto& field : fields) {
        const std::vector<std::string> parts = split(field.key);
        std::size_t depth = 0;
        while (depth < open.size() && depth + 1 < parts.size() && open[depth] == parts[depth]) ++depth;
        open.assign(parts.begin(), parts.end() - 1);
        for (; depth + 1 < parts.size(); ++depth)
            text += fmt::format("{:{}}{}:\n", "", 2 * depth, parts[depth]);
        text += fmt::format("{:{}}{}: {}\n", "", 2 * depth, parts[depth], format_field(field, shown));
    }
    return text;
}

}  // namespace

std::string show(const Config& config) {
    return in_sections(schema(), config);
}

std::string show(const Server& server) {
    return in_sections(server_schema(), server);
}

}  // namespace trnsim::config
