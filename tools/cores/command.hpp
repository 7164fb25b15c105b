// Runs other programs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace trnsim::cores {

struct Variable {
    std::string name;
    std::optional<std::string> value;  // none: the variable is removed
};

// Runs a program, found in PATH, with these arguments (the first is its name), and waits for it. It has the
// standard streams of this process and its environment with these variables changed; with `log` its output
// is added to that file. Throws std::runtime_error when it cannot be started or fails.
void run_command(const std::vector<std::string>& arguments, const std::vector<Variable>& variables = {},
                 const std::filesystem::path& log = {});

}  // namespace trnsim::cores
