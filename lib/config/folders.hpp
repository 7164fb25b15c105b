// Where configurations are looked for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace trnsim::config {

// Folders of shipped configurations, the first to look in first.
std::vector<std::filesystem::path> configuration_folders();

// Whether a name of a configuration is meant as the path of a file.
bool is_path(const std::string& text);

}  // namespace trnsim::config
