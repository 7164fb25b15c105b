// The probes of the control. Pulses are those of the next edge of the bus clock.
#include <bit>

#include "model/core/fast/control.hpp"
#include "model/core/fast/probe.hpp"

namespace trnsim::tlm::core_fast {

void Semaphores::probe(const Requests& requests, const Served& served, CoreProbe& probe) const {
    const SemaphoreUpdate update = served.requester != 0 ? requests[index(served)] : SemaphoreUpdate{};
    const std::uint32_t old = value_[update.semaphore];
    probe.semaphore_by = served.requester;
    probe.semaphore_index = update.semaphore;
    switch (update.mode) {
        case isa::UpdateMode::Set:
            probe.semaphore_value = update.value;
            break;
        case isa::UpdateMode::Add:
            probe.semaphore_value = old + update.value;
            break;
        case isa::UpdateMode::Sub:
            probe.semaphore_value = old - update.value;
            break;
        case isa::UpdateMode::None:
            probe.semaphore_value = old;
            break;
    }
}

SequencerProbe Sequencer::probe(const In& in, const Step& step) const {
    const isa::SeqState state = this->state(in);
    SequencerProbe probe{};
    probe.state = static_cast<std::uint32_t>(state);
    probe.pc = pc_;
    if (state != isa::SeqState::Idle && state != isa::SeqState::Fetch)
        probe.opcode = static_cast<std::uint32_t>(opcode_);
    if (probe.opcode != 0 && wait_mode_ != isa::WaitMode::None) {
        probe.wait_mode = static_cast<std::uint32_t>(wait_mode_);
        probe.wait_semaphore = wait_semaphore_;
        probe.wait_value = wait_value_;
        probe.semaphore_value = in.wait_value;
    }
    probe.in_flight = static_cast<std::uint32_t>(queue_.size());
    const bool begun = asks_bus() || asks_window() || step.leaves || state_ == State::UnderWay;
    probe.executing_pc = ~std::uint32_t{0};
    if (!queue_.empty()) {
        probe.executing_pc = queue_.front().origin.pc;
        probe.executing_opcode = queue_.front().origin.opcode;
    } else if (begun) {
        probe.executing_pc = pc_;
        probe.executing_opcode = probe.opcode;
    }
    return probe;
}

void Control::probe(const Engines& engines, bool bus_tick, Probes& probes) const {
    const Cycle cycle = decide(engines);
    CoreProbe& core = probes.core;
    const CoreFault& fault = registers_.fault();
    core.error_code = static_cast<std::uint32_t>(fault.code);
    core.error_engine = fault.engine;
    core.error_pc = fault.origin.pc;
    semaphores_.probe(cycle.requests, cycle.served, core);
    core.semaphore_update = bus_tick && cycle.served.requester != 0 && !cycle.served.overflow ? 1 : 0;
    for (unsigned e = 0; e < EngineCount; ++e) {
        SequencerProbe& probe = probes.sequencer[e] = sequencers_[e].probe(cycle.in[e], cycle.step[e]);
        probe.issue = bus_tick && cycle.step[e].issued ? 1 : 0;
        probe.complete = bus_tick && cycle.step[e].completed ? 1 : 0;
        core.issue |= probe.issue << e;
        core.complete |= probe.complete << e;
    }
}

}  // namespace trnsim::tlm::core_fast
