// What the pseudo channels of HBM do in a run, as signals that change.
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

    // Of pseudo_channel[k], k being 16 stack + 2 channel + pseudo channel: what the buses for rows and columns tell it,
    // `row_command` with `row_bank` and `row`, `column_command` with `column_bank` and `column`, and which way its `data`
    // move. Text "-" is nothing; numbers are those of the command before then.
    std::vector<Signal> signals() const;
    // In the order of time, from 0.
    std::vector<Change> changes() const;

  private:
    using Commands = std::vector<tlm::trace::DramCommand>;

    unsigned chip_;
    std::vector<Commands> commands_;  // by pseudo channel
};

}  // namespace trnsim::waves
