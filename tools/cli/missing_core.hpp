// The error of a run whose configuration has no verilated core.
#pragma once

#include <stdexcept>
#include <string>

#include "model/core/rtl/load_core_model.hpp"

namespace trnsim::cli {

// Names the command that builds the core of `config`, a name or a file, and `fast`, the options with which
// none is needed.
std::runtime_error missing_core(const tlm::NoCoreModel& error, const std::string& config,
                                const std::string& fast);

}  // namespace trnsim::cli
