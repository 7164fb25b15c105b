// Keeps the events of a run for a profile and passes them on.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "compiler/neff/package.hpp"
#include "model/trace/sink.hpp"

namespace trnsim::profile {

class Recorder : public tlm::trace::Sink {
  public:
    // `next` must outlive the recorder; without it the events are not passed on.
    void pass_on_to(tlm::trace::Sink* next) { next_ = next; }

    void instruction(const tlm::trace::Instruction& instruction) override;
    void packet(const tlm::trace::Packet& packet) override;
    void dram_command(const tlm::trace::DramCommand& command) override {
        if (next_ != nullptr) next_->dram_command(command);
    }

    // Returns instructions in the order of their completion.
    using Instructions = std::array<std::vector<tlm::trace::Instruction>, neff::EngineCount>;
    const Instructions& instructions() const { return instructions_; }  // by engine
    const std::vector<tlm::trace::Packet>& packets() const { return packets_; }

  private:
    tlm::trace::Sink* next_ = nullptr;
    std::array<std::vector<tlm::trace::Instruction>, neff::EngineCount> instructions_;
    std::vector<tlm::trace::Packet> packets_;
};

}  // namespace trnsim::profile
