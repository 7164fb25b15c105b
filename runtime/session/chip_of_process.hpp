// The one chip that a process can simulate, for sessions that follow each other: SystemC cannot be elaborated
// twice, so the chip outlives them and each finds it reset.
#pragma once

#include "runtime/session/machine_factory.hpp"

namespace trnsim::runtime {

// A MachineFactory. The chip is built by the first call. Throws Error when a machine of an earlier call is
// still there, or when configuration, perturbation, random memory, threads or core are not those of the chip.
// HBM, SBUF and PSUM hold what the session before left in them.
std::unique_ptr<Machine> chip_of_process(const config::Config& config, const MachineOptions& options);

}  // namespace trnsim::runtime
