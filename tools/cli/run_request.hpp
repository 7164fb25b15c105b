// What `trnsim run` and `trnsim launch` are to do: texts parsed, files read, everything checked.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "arch/config/server.hpp"
#include "runtime/session/session.hpp"
#include "tools/cli/expectation.hpp"
#include "tools/cli/run_files.hpp"
#include "tools/cli/run_options.hpp"

namespace trnsim::cli {

struct RunRequest {
    RunOptions options;                      // as given: names of files, switches
    runtime::Packages packages;              // by rank
    std::optional<config::Server> server{};  // whose cores run them; none: a core of a chip
    config::Config config{};                 // of a chip
    std::string config_name{};               // as config::load() takes it
    RunFiles files{};
    std::vector<runtime::Arrays>
        inputs{};  // by rank; those of a run that goes on from a checkpoint are not looked at
    std::vector<std::string> random{};  // names of inputs of rank 0 that are random
    std::map<std::string, npy::Array> expected{};
    Tolerance tolerance{};
    runtime::MachineOptions device{};  // without who listens
    runtime::Run run{};                // without who listens and without the state
    std::optional<checkpoint::SystemState> resumed{};
    std::optional<runtime::WaveRequest> wave{};  // of a core
    std::optional<unsigned> itrace_core{};
    std::optional<std::uint16_t> gdb_port{};
    bool fail_on_nan = false;

    std::uint32_t ranks() const { return static_cast<std::uint32_t>(packages.size()); }
    const neff::Package& package() const { return *packages.front(); }
    // `run` with the state it goes on from; this must outlive it.
    runtime::Run with_state() const;
};

// Throws std::runtime_error with the option and what was expected.
RunRequest parse(const RunOptions& options);

// Why a run that has ended without an error is not as it should be, a line each: it never came to its checkpoint, a NaN was
// written where that fails.
std::vector<std::string> shortcomings(const RunRequest& request, const runtime::Ending& ending);

}  // namespace trnsim::cli
