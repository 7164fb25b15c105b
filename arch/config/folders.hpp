// Where configurations are looked for.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace trnsim::config {

// Folders of shipped configurations, the first to look in first.
std::vector<std::filesystem::path> configuration_folders();

// Whether a name of a configuration is meant as the path of a file.
bool is_path(const std::string& text);

// Files of other kinds, `NAME.yaml` in a folder such as "servers" of the configuration folders: the one of a name,
// the names there are in order, and the file that a name or a path means. `kind` is what a message calls it. Throws
// Error for a name that there is not.
std::optional<std::filesystem::path> find_in(const std::string& folder, const std::string& name);
std::vector<std::string> names_in(const std::string& folder);
std::filesystem::path resolve_in(const std::string& folder, const std::string& kind,
                                 const std::string& name_or_path);

}  // namespace trnsim::config
