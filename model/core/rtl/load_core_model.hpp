// Verilated cores for the SystemC system. A model is a shared object built from the RTL for one configuration
// (cmake/Core.cmake); no header of Verilator is visible here.
#pragma once

#include <memory>
#include <string>

#include "arch/config/config.hpp"
#include "model/core/core.hpp"
#include "model/core/core_model.hpp"

namespace trnsim::tlm {

// Returns the model with RTL parameters equal to `parameters` (config::rtl_parameters), from the core
// libraries next to the executable or in TRNSIM_CORE_PATH. It may work with `threads` threads, one of them
// the caller's; results do not depend on it. Throws std::runtime_error that says which parameters have no
// model and which models exist.
std::unique_ptr<CoreModel> load_core_model(const std::string& parameters, unsigned threads = 1);

namespace core_rtl {

// Makes the core around the model that was built for `config`, to work with `threads` threads. To be called
// once. Throws std::runtime_error if there is none.
CoreFactory load_core(const config::Config& config, unsigned threads = 1);

}  // namespace core_rtl

}  // namespace trnsim::tlm
