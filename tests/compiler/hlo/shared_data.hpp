// Data beside the tree, in the folder `shared` of a folder above it: graphs of frameworks and the conformance pack.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace trnsim::test {

// Returns the folder `name` of that data; nothing where it is not there. TRNSIM_SHARED_DATA names another folder.
inline std::optional<std::filesystem::path> shared_data(const std::string& name) {
    if (const char* named = std::getenv("TRNSIM_SHARED_DATA"); named != nullptr)
        return std::filesystem::path(named) / name;
    for (std::filesystem::path folder = TRNSIM_TREE; folder.has_relative_path();
         folder = folder.parent_path()) {
        const std::filesystem::path found = folder.parent_path() / "shared/data" / name;
        if (std::filesystem::is_directory(found)) return found;
    }
    return std::nullopt;
}

}  // namespace trnsim::test
