// A sink whose listener can change while the models that report to it live on.
#pragma once

#include "tlm/trace/sink.hpp"

namespace trnsim::runtime {

class Relay : public tlm::trace::Sink {
  public:
    // From now on `listener` gets what is reported; null: nobody.
    void attach(tlm::trace::Sink* listener) { listener_ = listener; }

    void instruction(const tlm::trace::Instruction& instruction) override {
        if (listener_ != nullptr) listener_->instruction(instruction);
    }
    void packet(const tlm::trace::Packet& packet) override {
        if (listener_ != nullptr) listener_->packet(packet);
    }

  private:
    tlm::trace::Sink* listener_ = nullptr;
};

}  // namespace trnsim::runtime
