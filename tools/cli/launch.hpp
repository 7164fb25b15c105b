// `trnsim launch`: kernels on several cores of a server.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/cli/checkpoint_options.hpp"
#include "tools/cli/command.hpp"

namespace trnsim::cli {

struct LaunchOptions {
    std::vector<std::string> kernels;  // one for all ranks, or one for each
    std::string server = "trn1.32xlarge", chip;
    std::optional<std::uint32_t> ranks;
    std::vector<std::uint32_t> rtl_ranks;
    unsigned processes = 1;
    std::vector<std::string> inputs, outputs;  // NAME=FILE with {rank}
    std::optional<std::uint64_t> random_inputs;
    bool check = false, fail_on_nan = false, stochastic_rounding = false;
    std::optional<std::string> seed, perturb;
    CheckpointOptions checkpoints;
    std::string max_time, stats, trace, wave;
};

// Returns the exit status. Throws std::runtime_error for what does not fit together.
int launch(const LaunchOptions& options, const Environment& environment);

}  // namespace trnsim::cli
