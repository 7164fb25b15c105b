// Signals of models that are not RTL, in the recording of a core: GTKWave shows one file in a window, and the
// core's model writes its file itself.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "runtime/waves/signals.hpp"

namespace trnsim::waves {

// Writes the recording anew with these scopes more. Their changes after `end` (ps) are left out, but for those within
// the recording. Returns why the file is not whole; empty: it is. Throws std::runtime_error when it is no recording.
std::string add_signals(const std::filesystem::path& recording, std::span<const Scope> scopes,
                        std::uint64_t end);

// Writes a recording of these scopes alone. Returns why the file is not whole; empty: it is.
std::string write_signals(const std::filesystem::path& recording, std::span<const Scope> scopes);

}  // namespace trnsim::waves
