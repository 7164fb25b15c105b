#include "model/simulation/simulation.hpp"

#include <utility>

#include "model/protocol/alarm.hpp"

namespace trnsim::tlm {

Simulation::Simulation() {
    if (sc_core::sc_get_status() != sc_core::SC_ELABORATION)
        throw SecondSimulation("this process simulates a system already, expected a process for each");
    use_femtoseconds();
    // The host may run the simulation when nothing is left to do.
    sc_core::sc_report_handler::set_actions(sc_core::SC_ID_NO_SC_START_ACTIVITY_, sc_core::SC_DO_NOTHING);
}

bool Simulation::elaborate() {
    if (std::exchange(elaborated_, true)) return false;
    run(0, sc_core::SC_RUN_TO_TIME);
    return true;
}

void Simulation::step(Time duration) {
    // Without an event before its end, sc_start() would leave the time where it is.
    const bool quiet = sc_core::sc_time_to_pending_activity() > to_sc(duration);
    run(duration, quiet ? sc_core::SC_RUN_TO_TIME : sc_core::SC_EXIT_ON_STARVATION);
}

void Simulation::advance_to(Time time) {
    while (now() < time) run(time - now(), sc_core::SC_RUN_TO_TIME);
}

void Simulation::ring_by_chips(Time end) {
    try {
        protocol::Alarm::ring_by_chips(end);
    } catch (const sc_core::sc_report& report) {
        throw SimulationError(report.get_msg());
    } catch (const std::exception& error) {
        throw SimulationError(error.what());
    }
}

void Simulation::pause() {
    if (sc_core::sc_get_status() == sc_core::SC_RUNNING) sc_core::sc_pause();
}

void Simulation::run(Time duration, sc_core::sc_starvation_policy policy) {
    try {
        sc_core::sc_start(to_sc(duration), policy);
    } catch (const sc_core::sc_report& report) {
        throw SimulationError(report.get_msg());
    }
}

}  // namespace trnsim::tlm
