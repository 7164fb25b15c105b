// A sink whose listeners can change during the life of the models that report to it.
#pragma once

#include <array>

#include "model/trace/sink.hpp"

namespace trnsim::runtime {

class Relay : public tlm::trace::Sink {
  public:
    // From now on these listeners get the reports, in this order; nullptr: none.
    void attach(tlm::trace::Sink* listener, tlm::trace::Sink* another = nullptr) {
        listeners_ = {listener, another};
    }

    void instruction(const tlm::trace::Instruction& instruction) override {
        tell(&Sink::instruction, instruction);
    }
    void packet(const tlm::trace::Packet& packet) override { tell(&Sink::packet, packet); }
    void dram_command(const tlm::trace::DramCommand& command) override { tell(&Sink::dram_command, command); }
    void link_frame(const tlm::trace::LinkFrame& frame) override { tell(&Sink::link_frame, frame); }
    void link_stall(const tlm::trace::LinkStall& stall) override { tell(&Sink::link_stall, stall); }
    void link_standing(const tlm::trace::LinkEnd& from, std::uint64_t time,
                       const tlm::trace::LinkStanding& standing) override {
        tell(&Sink::link_standing, from, time, standing);
    }
    void collective_entry(const tlm::trace::CollectiveEntry& entry) override {
        tell(&Sink::collective_entry, entry);
    }

  private:
    using Sink = tlm::trace::Sink;

    template <typename Report, typename... Facts>
    void tell(Report report, const Facts&... facts) {
        for (Sink* listener : listeners_)
            if (listener != nullptr) (listener->*report)(facts...);
    }

    std::array<tlm::trace::Sink*, 2> listeners_{};
};

}  // namespace trnsim::runtime
