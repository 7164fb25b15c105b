// What to type to see a failure of a list again.
#pragma once

#include <filesystem>
#include <string>

#include "tools/regress/list.hpp"
#include "tools/regress/run_case.hpp"

namespace trnsim::regress {

struct Commands {
    std::string reproduce;  // trnsim run ...
    std::string show;       // trnsim wave ...
};

// Inputs of random programs are those that lie beside the other evidence.
Commands commands_of(const Case& one, const std::filesystem::path& list, const Evidence& evidence);

}  // namespace trnsim::regress
