#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>
#include <vector>

#include "arch/config/config.hpp"
#include "arch/config/folders.hpp"
#include "arch/config/nearest.hpp"
#include "base/places/places.hpp"

namespace trnsim::config {

namespace fs = std::filesystem;

bool is_path(const std::string& text) {
    return text.find('/') != std::string::npos || text.ends_with(".yaml") || text.ends_with(".yml");
}

std::vector<fs::path> configuration_folders() {
    std::vector<fs::path> result;
    if (const char* list = std::getenv("TRNSIM_CONFIG_PATH")) {
        std::istringstream stream(list);
        for (std::string folder; std::getline(stream, folder, ':');) {
            if (!folder.empty()) result.emplace_back(folder);
        }
    }
    for (const fs::path& folder : places::shipped_folders()) result.push_back(folder / "configs");
    return result;
}

fs::path find_shipped(const std::string& file) {
    for (const fs::path& folder : configuration_folders()) {
        if (fs::path candidate = folder / file; fs::is_regular_file(candidate)) return candidate;
    }
    throw Error(fmt::format("configs/{}: no such file, expected it beside the shipped configurations", file));
}

std::vector<std::string> shipped() {
    std::set<std::string> names;
    std::error_code ignored;
    for (const fs::path& folder : configuration_folders()) {
        for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
            if (entry.path().extension() == ".yaml") names.insert(entry.path().stem().string());
        }
    }
    return {names.begin(), names.end()};
}

std::optional<fs::path> find_in(const std::string& folder, const std::string& name) {
    for (const fs::path& place : configuration_folders()) {
        fs::path file = place / folder / (name + ".yaml");
        if (std::error_code ignored; fs::is_regular_file(file, ignored)) return file;
    }
    return std::nullopt;
}

std::vector<std::string> names_in(const std::string& folder) {
    std::set<std::string> names;
    std::error_code ignored;
    for (const fs::path& place : configuration_folders()) {
        for (const fs::directory_entry& entry : fs::directory_iterator(place / folder, ignored)) {
            if (entry.path().extension() == ".yaml") names.insert(entry.path().stem().string());
        }
    }
    return {names.begin(), names.end()};
}

fs::path resolve_in(const std::string& folder, const std::string& kind, const std::string& name_or_path) {
    if (is_path(name_or_path)) return name_or_path;
    if (const auto file = find_in(folder, name_or_path)) return *file;
    const std::vector<std::string> known = names_in(folder);
    throw Error(
        fmt::format("{} '{}' is not known, expected one like '{}' or the path of a file (there are: {})",
                    kind, name_or_path, nearest(name_or_path, known), fmt::join(known, ", ")));
}

fs::path resolve(const std::string& name_or_path) {
    if (is_path(name_or_path)) {
        std::error_code unreachable;
        if (!fs::is_regular_file(name_or_path, unreachable)) {
            throw Error(
                fmt::format("{}: {}, expected a configuration file", name_or_path,
                            fs::exists(name_or_path, unreachable) ? "no regular file" : "no such file"));
        }
        return name_or_path;
    }
    std::error_code ignored;
    for (const fs::path& folder : configuration_folders()) {
        fs::path candidate = folder / (name_or_path + ".yaml");
        if (!name_or_path.empty() && fs::is_regular_file(candidate, ignored)) return candidate;
    }
    const std::vector<std::string> known = shipped();
    if (known.empty()) {
        throw Error(
            fmt::format("configuration '{}': no shipped configurations found, expected the path of a file",
                        name_or_path));
    }
    throw Error(fmt::format(
        "configuration '{}' is not known, expected one like '{}' or the path of a file (there are: {})",
        name_or_path, nearest(name_or_path, known), fmt::join(known, ", ")));
}

}  // namespace trnsim::config
