// The files behind a configuration.
#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace trnsim::config {

// The file that load() reads and those that it extends. Throws Error.
std::set<std::filesystem::path> files_of(const std::string& name_or_path);

}  // namespace trnsim::config
