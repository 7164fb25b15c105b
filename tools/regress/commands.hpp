// The commands that show a failure of a list again. They are for a shell, and work in any folder.
#pragma once

#include <filesystem>
#include <string>

#include "tools/regress/list.hpp"
#include "tools/regress/run_case.hpp"

namespace trnsim::regress {

struct Commands {
    std::string reproduce;  // e.g. trnsim run ...
    std::string show;       // e.g. trnsim wave ...
    std::string profile;    // e.g. trnsim profile ...
};

// For random programs, the inputs are the files beside the other evidence. `core` is the folder of the core;
// empty: the program finds it by itself. The first command names the core unless the program finds it without
// TRNSIM_CORE_PATH.
Commands commands_of(const Case& one, const std::filesystem::path& list, const Evidence& evidence,
                     const std::filesystem::path& core);

// Returns the command that makes the kernel of a case: trnsim kernel build, or the user's program, which reads
// the configuration from `config`. Empty for random programs and for a container of the user's.
std::string build_command(const Case& one, const std::filesystem::path& list,
                          const std::filesystem::path& kernel, const std::filesystem::path& config);

// Returns the command that runs a list again, with its results in the same folder, and accepts its cycles.
std::string accept_command(const std::filesystem::path& list, const std::filesystem::path& folder);

}  // namespace trnsim::regress
