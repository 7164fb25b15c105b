// The files from which a configuration, a server or a network is read.
#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace trnsim::config {

// Returns the file that load() reads and those that it extends. Throws Error.
std::set<std::filesystem::path> files_of(const std::string& name_or_path);
// Returns the files that read_server() reads and those of its chips' configuration. Throws Error.
std::set<std::filesystem::path> files_of_server(const std::string& name_or_path);
// Returns the file that read_network() reads. Throws Error.
std::filesystem::path file_of_network(const std::string& name_or_path);

}  // namespace trnsim::config
