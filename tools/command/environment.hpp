// What a command may use of the world outside.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "runtime/session/machine_factory.hpp"

namespace trnsim::command {

// How much is said beside results and errors: -q, nothing, -v.
enum class Verbosity : std::uint8_t { Quiet, Normal, Verbose };

struct Environment {
    std::ostream& out;      // results
    std::ostream& err;      // errors, one line each, and progress
    bool terminal = false;  // `err` is a terminal: progress is shown
    runtime::MachineFactory machine;
    // As open_gtkwave() and run_again() in programs.hpp.
    std::function<std::string(const std::filesystem::path& folder, const std::vector<std::string>& arguments)>
        open;
    std::function<int(const std::vector<std::string>& arguments)> again;
    Verbosity verbosity = Verbosity::Normal;

    bool quiet() const { return verbosity == Verbosity::Quiet; }
    bool verbose() const { return verbosity == Verbosity::Verbose; }
    bool shows_progress() const { return terminal && !quiet(); }
    // For summaries: `out`, or nowhere.
    std::ostream& summary() const;
};

}  // namespace trnsim::command
