// The folders in which configurations are looked for.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace trnsim::config {

// Returns the folders of shipped configurations in the order of the search.
std::vector<std::filesystem::path> configuration_folders();

// Returns whether a name of a configuration is meant as the path of a file.
bool is_path(const std::string& text);

// Files of other kinds are `NAME.yaml` in a folder such as "servers" of the configuration folders. find_in()
// returns the file of a name, names_in() the names in order, resolve_in() the file that a name or a path
// means. `kind` is the word for it in messages. Throws Error for an unknown name.
std::optional<std::filesystem::path> find_in(const std::string& folder, const std::string& name);
std::vector<std::string> names_in(const std::string& folder);
std::filesystem::path resolve_in(const std::string& folder, const std::string& kind,
                                 const std::string& name_or_path);

}  // namespace trnsim::config
