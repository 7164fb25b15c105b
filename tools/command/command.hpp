// A subcommand of the program.
#pragma once

#include "tools/command/environment.hpp"
#include "tools/command/subcommand.hpp"

namespace trnsim::command {

// Exit codes.
constexpr int Success = 0;
constexpr int SimulationError = 1;  // a simulation ran and found an error
constexpr int BadInput = 2;         // bad usage or bad input

struct Command {
    const char* name;
    const char* doc;  // one line
    // Adds options and a callback to `app`, the subcommand. The callback writes its exit code to `status`, or
    // throws a std::exception whose what() describes the mistake in the input. `environment` and `status`
    // outlive the app.
    void (*declare)(Subcommand app, const Environment& environment, int& status);
};

}  // namespace trnsim::command
