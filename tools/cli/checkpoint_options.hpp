// Options of `trnsim run` and `trnsim launch` about checkpoints, from text to what the runtime takes.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/session/checkpoint.hpp"
#include "tools/command/subcommand.hpp"

namespace trnsim::cli {

struct CheckpointOptions {
    std::string switch_at, checkpoint_at, save_checkpoint, resume;  // empty: not given

    bool switches() const { return !switch_at.empty(); }
    bool saves() const { return !save_checkpoint.empty(); }
    bool resumes() const { return !resume.empty(); }
};

// `switches`: what --switch-to-rtl-at does.
void declare_checkpoint_options(command::Subcommand app, CheckpointOptions& options, const char* switches);

// All throw std::runtime_error with the option and what was expected.

using GivenOptions = std::vector<std::pair<const char*, bool>>;  // names, and whether they are given

// Refuses options without the one they belong to. `absent`: those that go with no checkpoint; `saved`: those of the beginning of a
// run, which a checkpoint has.
void check_checkpoint_options(const CheckpointOptions& options, const GivenOptions& absent,
                              const GivenOptions& saved);

// Where the run comes to its checkpoint, and what happens there; none: it does not.
std::optional<runtime::CheckpointRequest> parse_checkpoint(const CheckpointOptions& options,
                                                           std::uint64_t clock_hz);

// Of --resume.
std::optional<checkpoint::SystemState> read_checkpoint(const CheckpointOptions& options);

// What is wrong with a run that has ended, and never came to its checkpoint.
std::string checkpoint_missed(const CheckpointOptions& options);

}  // namespace trnsim::cli
