// The activity of the pseudo channels of HBM in a run as signals.
#pragma once

#include <string>
#include <vector>

#include "model/trace/sink.hpp"
#include "runtime/waves/signals.hpp"

namespace trnsim::waves {

class HbmLog : public tlm::trace::Sink {
  public:
    explicit HbmLog(unsigned chip = 0) : chip_(chip) {}

    void instruction(const tlm::trace::Instruction&) override {}
    void packet(const tlm::trace::Packet&) override {}
    void dram_command(const tlm::trace::DramCommand& command) override;

    // Returns the signals of pseudo_channel[k], k = 16 stack + 2 channel + pseudo channel: the commands on
    // the buses for rows and columns, `row_command` with `row_bank` and `row`, `column_command` with
    // `column_bank` and `column`, and the direction of its `data`. The text "-" means none; numbers are then
    // those of the previous command.
    std::vector<Signal> signals() const;
    // Returns the changes in the order of time, from 0.
    std::vector<Change> changes() const;

  private:
    using Commands = std::vector<tlm::trace::DramCommand>;

    unsigned chip_;
    std::vector<Commands> commands_;  // by pseudo channel
};

}  // namespace trnsim::waves
