#pragma once

#include <string>

#include "base/status/status.hpp"
#include "model/simulation/simulation.hpp"
#include "runtime/loader/error.hpp"

namespace trnsim::communicator {

using loader::Error;

// A collective that has not ended. what() is one line.
struct Failure : tlm::SimulationError {
    Failure(Status reason, const std::string& message) : SimulationError(message), status(reason) {}

    Status status;  // ExecCollectives, ExecHbmUncorrectable or ExecDmaAbort
};

}  // namespace trnsim::communicator
