// The commands that show a failure of a list again.
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

// For random programs, the inputs are the files beside the other evidence.
Commands commands_of(const Case& one, const std::filesystem::path& list, const Evidence& evidence);

}  // namespace trnsim::regress
