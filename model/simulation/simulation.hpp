// The SystemC kernel for code that controls a simulation from outside its processes: one in each process,
// times in femtoseconds.
#pragma once

#include <stdexcept>

#include "model/protocol/types.hpp"

namespace trnsim::tlm {

// An exception of a model, or an access that was refused or never answered. The simulation cannot go on after
// an exception of a model.
struct SimulationError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A simulation has begun, so SystemC takes no further modules. That simulation goes on.
struct SecondSimulation : SimulationError {
    using SimulationError::SimulationError;
};

class Simulation {
  public:
    // Must be made before the first module, as modules may hold time values. Throws SecondSimulation.
    Simulation();

    // Ends elaboration, binding the sockets; the first call returns true, every other one does nothing.
    bool elaborate();

    // Returns whether something may still happen without a call from outside.
    static bool pending() { return sc_core::sc_pending_activity(); }

    // Runs for `duration`, or until a model pauses the simulation or nothing is left to do. Throws
    // SimulationError.
    void step(Time duration);

    // Lets time pass up to `time`, whatever happens meanwhile. Throws SimulationError.
    void advance_to(Time time);

    // Calls protocol::Alarm::ring_by_chips(). Throws SimulationError.
    static void ring_by_chips(Time end);

    // Ends the step() under way; called by models.
    static void pause();

  private:
    void run(Time duration, sc_core::sc_starvation_policy policy);

    bool elaborated_ = false;
};

}  // namespace trnsim::tlm
