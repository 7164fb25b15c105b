// The files behind a configuration, a server or a network.
#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace trnsim::config {

// The file that load() reads and those that it extends. Throws Error.
std::set<std::filesystem::path> files_of(const std::string& name_or_path);
// Those that read_server() reads, and those of its chips' configuration. Throws Error.
std::set<std::filesystem::path> files_of_server(const std::string& name_or_path);
// What read_network() reads. Throws Error.
std::filesystem::path file_of_network(const std::string& name_or_path);

}  // namespace trnsim::config
