// The command as a function.
#pragma once

#include <string>
#include <vector>

#include "tools/command/command.hpp"

namespace trnsim::compile {

struct Options {
    std::string model;
    bool verify = false, print = false, evaluate = false;
    std::vector<std::string> inputs, outputs;  // NAME=FILE
};

// Returns the exit code. Throws a std::exception whose what() is one line.
int run(const Options& options, const command::Environment& environment);

}  // namespace trnsim::compile
