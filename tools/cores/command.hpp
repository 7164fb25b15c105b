// Other programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace trnsim::cores {

struct Variable {
    std::string name;
    std::optional<std::string> value;  // none: it is not there
};

// Runs a program, found in PATH, with these arguments (the first is its name), the standard streams of this process and
// its environment but for some variables, and waits for it. Throws std::runtime_error when it cannot be started or fails.
void run_command(const std::vector<std::string>& arguments, const std::vector<Variable>& variables = {});

}  // namespace trnsim::cores
