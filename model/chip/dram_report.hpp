// Reports the commands to the banks of a stack of HBM to the chip's listener.
#pragma once

#include "arch/config/config.hpp"
#include "model/hbm/command.hpp"
#include "model/protocol/types.hpp"
#include "model/trace/sink.hpp"

namespace trnsim::tlm::chip {

class DramReport : public hbm::CommandSink {
  public:
    // `sink` must outlive the report.
    DramReport(const config::BankedHbm& hbm, unsigned chip, unsigned stack, trace::Sink& sink);

    void command(const hbm::CommandRecord& record) override;

  private:
    Time ck_;                              // fs
    hbm::Cycle read_delay_, write_delay_;  // CK, from a command to its data
    unsigned chip_, stack_;
    trace::Sink& sink_;
};

}  // namespace trnsim::tlm::chip
