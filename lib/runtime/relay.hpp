// A sink whose listeners can change while the models that report to it live on.
#pragma once

#include <array>

#include "tlm/trace/sink.hpp"

namespace trnsim::runtime {

class Relay : public tlm::trace::Sink {
  public:
    // From now on these get what is reported, in this order; null: nobody.
    void attach(tlm::trace::Sink* listener, tlm::trace::Sink* another = nullptr) {
        listeners_ = {listener, another};
    }

    void instruction(const tlm::trace::Instruction& instruction) override {
        for (tlm::trace::Sink* listener : listeners_)
            if (listener != nullptr) listener->instruction(instruction);
    }
    void packet(const tlm::trace::Packet& packet) override {
        for (tlm::trace::Sink* listener : listeners_)
            if (listener != nullptr) listener->packet(packet);
    }
    void dram_command(const tlm::trace::DramCommand& command) override {
        for (tlm::trace::Sink* listener : listeners_)
            if (listener != nullptr) listener->dram_command(command);
    }

  private:
    std::array<tlm::trace::Sink*, 2> listeners_{};
};

}  // namespace trnsim::runtime
