// The signals of the fast core in waveforms: those of the RTL's probes that do not belong to a data path
// (rtl/core/core_probe.sv, rtl/core/sequencer_probe.sv), with the same names and widths.
#pragma once

#include <array>
#include <cstdint>

#include "model/core/fast/control_types.hpp"

namespace trnsim::tlm::core_fast {

template <class Probe>
struct ProbeSignal {
    const char* name;
    unsigned bits;
    std::uint32_t Probe::*value;
};

struct CoreProbe {
    std::uint32_t reset, idle, error, tensor_clock, vector_clock, error_code, error_engine, error_pc, busy,
        issue, complete, semaphore_update, semaphore_by, semaphore_index, semaphore_value;
};
inline constexpr std::array<ProbeSignal<CoreProbe>, 15> CoreSignals{{
    {"reset", 1, &CoreProbe::reset},
    {"idle", 1, &CoreProbe::idle},
    {"error", 1, &CoreProbe::error},
    {"tensor_clock", 1, &CoreProbe::tensor_clock},
    {"vector_clock", 1, &CoreProbe::vector_clock},
    {"error_code", 5, &CoreProbe::error_code},
    {"error_engine", 3, &CoreProbe::error_engine},
    {"error_pc", 32, &CoreProbe::error_pc},
    {"busy", 5, &CoreProbe::busy},
    {"issue", 5, &CoreProbe::issue},
    {"complete", 5, &CoreProbe::complete},
    {"semaphore_update", 1, &CoreProbe::semaphore_update},
    {"semaphore_by", 6, &CoreProbe::semaphore_by},
    {"semaphore_index", 8, &CoreProbe::semaphore_index},
    {"semaphore_value", 32, &CoreProbe::semaphore_value},
}};

struct SequencerProbe {
    std::uint32_t state, opcode, pc, wait_mode, wait_semaphore, wait_value, semaphore_value, issue, complete,
        busy, in_flight, executing_pc, executing_opcode;
};
inline constexpr std::array<ProbeSignal<SequencerProbe>, 13> SequencerSignals{{
    {"state", 3, &SequencerProbe::state},
    {"opcode", 8, &SequencerProbe::opcode},
    {"pc", 32, &SequencerProbe::pc},
    {"wait_mode", 2, &SequencerProbe::wait_mode},
    {"wait_semaphore", 8, &SequencerProbe::wait_semaphore},
    {"wait_value", 32, &SequencerProbe::wait_value},
    {"semaphore_value", 32, &SequencerProbe::semaphore_value},
    {"issue", 1, &SequencerProbe::issue},
    {"complete", 1, &SequencerProbe::complete},
    {"busy", 1, &SequencerProbe::busy},
    {"in_flight", 8, &SequencerProbe::in_flight},
    {"executing_pc", 32, &SequencerProbe::executing_pc},
    {"executing_opcode", 8, &SequencerProbe::executing_opcode},
}};

struct Probes {
    CoreProbe core{};
    std::array<SequencerProbe, EngineCount> sequencer{};
};

}  // namespace trnsim::tlm::core_fast
