#include "testbench/runtime/chip_machine.hpp"

namespace trnsim::runtime {

ChipMachine::ChipMachine(const config::Config& config, tlm::trace::Sink* sink)
    : chip_("chip", config, tlm::load_core_model(config::rtl_parameters(config)), {.sink = sink}) {}

void ChipMachine::record_wave(const WaveRequest& request) {
    chip_.record_wave(request.path, request.scopes, request.first_cycle, request.last_cycle);
}

}  // namespace trnsim::runtime
