#pragma once

#include <stdexcept>

#include "base/status/status.hpp"
#include "model/simulation/simulation.hpp"

namespace trnsim::communicator {

// what() is one line: where, what was found, what was expected.
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A collective that has not come to its end. what() is one line.
struct Failure : tlm::SimulationError {
    Failure(Status reason, const std::string& message) : SimulationError(message), status(reason) {}

    Status status;  // ExecCollectives, ExecHbmUncorrectable or ExecDmaAbort
};

}  // namespace trnsim::communicator
