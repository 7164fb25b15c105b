// The one chip that a process can simulate, for consecutive sessions: SystemC cannot be elaborated twice, so
// the chip outlives the sessions and each of them finds it reset.
#pragma once

#include "runtime/session/machine_factory.hpp"

namespace trnsim::runtime {

// A MachineFactory. The first call builds the chip. Throws Error when a machine of an earlier call still
// exists, or when configuration, perturbation, random memory, threads or core are not those of the chip. HBM,
// SBUF and PSUM keep the contents from the previous session.
std::unique_ptr<Machine> chip_of_process(const config::Config& config, const MachineOptions& options);

}  // namespace trnsim::runtime
