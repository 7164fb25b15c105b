// --threads: how many a simulated core works with.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace trnsim::command {

void declare_threads(CLI::App& app, std::string& threads);

// Throws std::runtime_error unless the text is a number of threads, 1 to a limit.
unsigned parse_threads(const std::string& text);

}  // namespace trnsim::command
