// Signals of models that are not RTL, in the recording of a core: GTKWave shows one file in a window, and the
// core's model writes its file itself.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "lib/waves/signals.hpp"

namespace trnsim::waves {

// Writes the recording anew with these scopes more. Changes after the last cycle recorded, of a recording that is not
// `whole`, are left out. Returns why the file is not whole; empty: it is. Throws std::runtime_error when it is no
// recording.
std::string add_signals(const std::filesystem::path& recording, std::span<const Scope> scopes, bool whole);

// Writes a recording of these scopes alone. Returns why the file is not whole; empty: it is.
std::string write_signals(const std::filesystem::path& recording, std::span<const Scope> scopes);

}  // namespace trnsim::waves
