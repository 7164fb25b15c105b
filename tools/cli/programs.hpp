// Other programs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace trnsim::cli {

// Starts GTKWave in a folder and leaves it to the user. Returns what is in the way; empty: nothing.
std::string open_gtkwave(const std::filesystem::path& folder, const std::vector<std::string>& arguments);

// The exit code of this program with other arguments; it prints nothing.
int run_again(const std::vector<std::string>& arguments);

}  // namespace trnsim::cli
