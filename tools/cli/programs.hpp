// Starts other programs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace trnsim::cli {

// Starts GTKWave in a folder and leaves it to the user. Returns what prevents it; empty if nothing does.
std::string open_gtkwave(const std::filesystem::path& folder, const std::vector<std::string>& arguments);

// Runs this program with other arguments, without output. Returns its exit code.
int run_again(const std::vector<std::string>& arguments);

}  // namespace trnsim::cli
