// Verilated cores for the SystemC system. A model is a shared object built from the RTL for one configuration
// (cmake/Core.cmake); no header of Verilator is visible here.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "arch/config/config.hpp"
#include "model/core/core.hpp"
#include "model/core/core_model.hpp"

namespace trnsim::tlm {

// There is no model of these parameters.
struct NoCoreModel : std::runtime_error {
    // `folders`: where it was looked for; `models`: what is there, and how it differs.
    NoCoreModel(const std::string& folders, const std::string& models);
    std::string there;  // `models`
};

// Returns the model with RTL parameters equal to `parameters` (config::rtl_parameters), from the core
// libraries next to the executable or in TRNSIM_CORE_PATH. It may work with `threads` threads, one of them
// the caller's; results do not depend on it. Throws NoCoreModel.
std::unique_ptr<CoreModel> load_core_model(const std::string& parameters, unsigned threads = 1);

namespace core_rtl {

// Makes the core around the model that was built for `config`, to work with `threads` threads. To be called
// once. Throws NoCoreModel.
CoreFactory load_core(const config::Config& config, unsigned threads = 1);

}  // namespace core_rtl

}  // namespace trnsim::tlm
