// Options of `trnsim run` and `trnsim launch` about checkpoints: converts their texts to values for the
// runtime.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/session/checkpoint.hpp"
#include "tools/command/subcommand.hpp"

namespace trnsim::cli {

struct CheckpointOptions {
    std::string switch_at, checkpoint_at, save_checkpoint, resume;  // empty if not given

    bool switches() const { return !switch_at.empty(); }
    bool saves() const { return !save_checkpoint.empty(); }
    bool resumes() const { return !resume.empty(); }
};

// `switches` is the help text of --switch-to-rtl-at.
void declare_checkpoint_options(command::Subcommand app, CheckpointOptions& options, const char* switches);

// All functions throw std::runtime_error with the option and what was expected.

using GivenOptions = std::vector<std::pair<const char*, bool>>;  // names, and whether they are given

// Refuses options without the one they belong to. `absent` are options that exclude checkpoints; `saved` are
// options of the beginning of a run, which a checkpoint already has.
void check_checkpoint_options(const CheckpointOptions& options, const GivenOptions& absent,
                              const GivenOptions& saved);

// Returns the time of the run's checkpoint and what happens there; nothing if there is no checkpoint.
std::optional<runtime::CheckpointRequest> parse_checkpoint(const CheckpointOptions& options,
                                                           std::uint64_t clock_hz);

// Reads the state that --resume names.
std::optional<checkpoint::SystemState> read_checkpoint(const CheckpointOptions& options);

// Describes the mistake when a run has ended without reaching its checkpoint.
std::string checkpoint_missed(const CheckpointOptions& options);

}  // namespace trnsim::cli
