// Fast cores for the SystemC system: the same pins, clock, sockets and statistics as the verilated ones.
#pragma once

#include "arch/config/config.hpp"
#include "model/core/core.hpp"
#include "model/core/core_model.hpp"

namespace trnsim::tlm::core_fast {

// Makes only the model, for a core that goes on with another one.
std::unique_ptr<CoreModel> make_model(const config::Core& core);

// Makes cores of this configuration, any number of them, without a verilated model.
CoreFactory make_core(const config::Config& config);

}  // namespace trnsim::tlm::core_fast
