// Runs other programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace trnsim::cores {

struct Variable {
    std::string name;
    std::optional<std::string> value;  // none: the variable is removed
};

// Runs a program, found in PATH, with these arguments (the first is its name), and waits for it. It has the
// standard streams of this process and its environment with these variables changed. Throws
// std::runtime_error when it cannot be started or fails.
void run_command(const std::vector<std::string>& arguments, const std::vector<Variable>& variables = {});

}  // namespace trnsim::cores
