// The SystemC kernel as those see it who drive a simulation from outside its processes: one a process, times
// in femtoseconds.
#pragma once

#include <stdexcept>

#include "model/protocol/types.hpp"

namespace trnsim::tlm {

// What a model throws, or an access that was refused or never answered. The simulation cannot go on after an
// exception of a model.
struct SimulationError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A simulation has begun: SystemC takes no further modules then. That simulation goes on.
struct SecondSimulation : SimulationError {
    using SimulationError::SimulationError;
};

class Simulation {
  public:
    // To be made before the first module, as modules may hold time values. Throws SecondSimulation.
    Simulation();

    // Ends elaboration, binding the sockets; the first call returns true, every other one does nothing.
    bool elaborate();

    // Something may still happen without a call from outside.
    static bool pending() { return sc_core::sc_pending_activity(); }

    // Runs for `duration`, until a model pauses the simulation or until nothing is left to do. Throws
    // SimulationError.
    void step(Time duration);

    // Lets time pass up to `time`, whatever happens on the way. Throws SimulationError.
    void advance_to(Time time);

    // For models: ends the step() under way.
    static void pause();

  private:
    void run(Time duration, sc_core::sc_starvation_policy policy);

    bool elaborated_ = false;
};

}  // namespace trnsim::tlm
