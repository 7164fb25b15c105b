// Other programs.
#pragma once

#include <string>
#include <vector>

namespace trnsim::cores {

// Runs a program, found in PATH, with these arguments (the first is its name) and the standard streams of
// this process, and waits for it. Throws std::runtime_error when it cannot be started or fails.
void run_command(const std::vector<std::string>& arguments);

}  // namespace trnsim::cores
