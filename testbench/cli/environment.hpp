// What a command may use of the world outside.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "testbench/runtime/chip_machine.hpp"

namespace trnsim::cli {

// Builds the machine of a configuration; the sink must outlive it. A wave request, when given, covers all of
// its time.
using MachineFactory = std::function<std::unique_ptr<runtime::Machine>(
    const config::Config&, tlm::trace::Sink*, const std::optional<runtime::WaveRequest>&)>;

struct Environment {
    std::ostream& out;      // results
    std::ostream& err;      // errors, one line each, and progress
    bool terminal = false;  // `err` is a terminal: progress is shown
    MachineFactory machine;
    // As open_gtkwave() and run_again() in programs.hpp.
    std::function<std::string(const std::filesystem::path& folder, const std::vector<std::string>& arguments)>
        open;
    std::function<int(const std::vector<std::string>& arguments)> again;
};

}  // namespace trnsim::cli
