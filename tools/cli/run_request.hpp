// The checked request of `trnsim run` or `trnsim launch`: texts are parsed and files are read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "arch/config/server.hpp"
#include "runtime/session/session.hpp"
#include "tools/cli/command.hpp"
#include "tools/cli/element_name.hpp"
#include "tools/cli/expectation.hpp"
#include "tools/cli/run_files.hpp"
#include "tools/cli/run_options.hpp"

namespace trnsim::cli {

struct RunRequest {
    RunOptions options;                      // as given: names of files, switches
    runtime::Packages packages;              // by rank
    std::optional<config::Server> server{};  // server with the cores; none: a core of a chip
    config::Config config{};                 // configuration of the chip
    std::string config_name{};               // argument of config::load()
    RunFiles files{};
    std::vector<runtime::Contents> inputs{};  // by rank; none for a run that goes on from a checkpoint
    std::vector<std::string> random{};        // names of inputs of rank 0 that are random
    Tolerance tolerance{};
    runtime::MachineOptions device{};  // without an event sink
    functional::Limits limits{};       // of the interpreter
    runtime::Run run{};                // without an event sink and without the state
    std::optional<checkpoint::SystemState> resumed{};
    std::optional<runtime::WaveRequest> wave{};  // of one core
    std::optional<NamedElement> wave_element{};  // marked in the waveform
    std::optional<unsigned> itrace_core{};
    std::optional<std::uint16_t> gdb_port{};
    bool fail_on_nan = false;

    std::uint32_t ranks() const { return static_cast<std::uint32_t>(packages.size()); }
    const neff::Package& package() const { return *packages.front(); }
    // Returns `run` with the state it goes on from; this object must outlive it.
    runtime::Run with_state() const;
};

// Throws std::runtime_error with the option and what was expected.
RunRequest parse(const RunOptions& options);

// Prints lines of runtime::unwritten_moves(): errors with --fail-on-unwritten, else warnings.
void report_moves(const std::vector<std::string>& lines, const RunOptions& options,
                  const Environment& environment);

// Returns the reasons, a line each, why a run that has ended without an error is still wrong: it never came
// to its checkpoint, or a NaN was written and --fail-on-nan forbids it. `first_nan` names the first instruction
// that wrote one; empty: not known here, as another process has it.
std::vector<std::string> shortcomings(const RunRequest& request, const runtime::Ending& ending,
                                      const std::string& first_nan);

}  // namespace trnsim::cli
