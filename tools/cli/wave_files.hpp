// What lies beside the recording of a run, so that GTKWave shows it from any folder.
#pragma once

#include <string>

#include "lib/config/config.hpp"
#include "lib/neff/package.hpp"
#include "lib/runtime/result.hpp"
#include "tools/cli/run_options.hpp"

namespace trnsim::cli {

// Writes them for options.wave and returns the path of a view of it: "core" unless the scopes that were asked
// for have another one. Throws std::runtime_error.
std::string write_wave_files(const RunOptions& options, const neff::Package& package,
                             const config::Config& config, const runtime::Result& result);

}  // namespace trnsim::cli
