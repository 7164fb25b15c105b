// The part of the outside world that a command may use.
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

// The amount of output beside results and errors: -q, no option, -v.
enum class Verbosity : std::uint8_t { Quiet, Normal, Verbose };

struct Environment {
    std::ostream& out;      // results
    std::ostream& err;      // errors, one line each, and progress
    bool terminal = false;  // `err` is a terminal, so progress is shown
    runtime::MachineFactory machine;
    // See open_gtkwave() and run_again() in programs.hpp.
    std::function<std::string(const std::filesystem::path& folder, const std::vector<std::string>& arguments)>
        open;
    std::function<int(const std::vector<std::string>& arguments)> again;
    Verbosity verbosity = Verbosity::Normal;

    bool quiet() const { return verbosity == Verbosity::Quiet; }
    bool verbose() const { return verbosity == Verbosity::Verbose; }
    bool shows_progress() const { return terminal && !quiet(); }
    // Returns the stream for summaries: `out`, or one that discards them.
    std::ostream& summary() const;
};

}  // namespace trnsim::command
