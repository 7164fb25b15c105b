#include "tools/profile/recorder.hpp"

namespace trnsim::profile {

void Recorder::instruction(const tlm::trace::Instruction& instruction) {
    if (next_ != nullptr) next_->instruction(instruction);
    if (instruction.engine < instructions_.size()) instructions_[instruction.engine].push_back(instruction);
}

void Recorder::packet(const tlm::trace::Packet& packet) {
    if (next_ != nullptr) next_->packet(packet);
    packets_.push_back(packet);
}

}  // namespace trnsim::profile
