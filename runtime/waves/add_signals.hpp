// Adds signals of models that are not RTL to the recording of a core: GTKWave shows one file in a window, and
// the core's model writes its file itself.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "runtime/waves/signals.hpp"

namespace trnsim::waves {

// Rewrites the recording with these scopes added. Their changes after `end` (ps) are left out, except for
// those within the recording. Returns the reason for which the file is incomplete; empty: it is complete.
// Throws std::runtime_error when it is no recording.
std::string add_signals(const std::filesystem::path& recording, std::span<const Scope> scopes,
                        std::uint64_t end);

// Writes a recording of these scopes alone. Returns the reason for which the file is incomplete; empty: it is
// complete.
std::string write_signals(const std::filesystem::path& recording, std::span<const Scope> scopes);

}  // namespace trnsim::waves
