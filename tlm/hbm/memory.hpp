// What a chip needs of a stack, whichever model it is.
#pragma once

#include <optional>

#include "tlm/hbm/command.hpp"
#include "tlm/hbm/statistics.hpp"
#include "tlm/protocol/target_port.hpp"
#include "tlm/protocol/traffic.hpp"

namespace trnsim::tlm::hbm {

class Memory : public sc_core::sc_module {
  public:
    Memory(const sc_core::sc_module_name& name, protocol::TargetModel& model)
        : sc_module(name), port("port", model) {}

    protocol::TargetPort port;

    const Traffic& traffic() const { return traffic_; }
    // Of banks, until now; nothing from a model without banks.
    virtual std::optional<DramStatistics> dram() { return std::nullopt; }
    // From now on `sink` gets every command; null: nobody does. False for a model without commands.
    virtual bool report_to(CommandSink*) { return false; }

  protected:
    Traffic traffic_;
};

}  // namespace trnsim::tlm::hbm
