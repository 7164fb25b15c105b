// The activity of the DMA engines in a run as signals.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compiler/neff/package.hpp"
#include "model/trace/sink.hpp"
#include "runtime/waves/signals.hpp"

namespace trnsim::waves {

class DmaLog : public tlm::trace::Sink {
  public:
    // Logs this core, which executes `package`. The package must outlive the log.
    explicit DmaLog(const neff::Package& package, addresses::CoreId core = {})
        : package_(package), core_(core) {}

    void instruction(const tlm::trace::Instruction& instruction) override;
    void packet(const tlm::trace::Packet& packet) override;

    // Returns the signals: `bytes` in flight and `engines`, a bit for each engine of the core that moves
    // some; for each queue its `name`, the current `transfer`, the numbers of `pending` transfers (triggered
    // and not complete), of `packets` and of `bytes` in flight. Queue i is ring i.
    std::vector<Signal> signals() const;
    // Returns the changes in the order of time, from 0.
    std::vector<Change> changes() const;

  private:
    struct Triggered {
        std::uint64_t time;  // fs
        std::size_t transfer;
    };

    bool ends_share(const tlm::trace::Packet& packet) const;

    const neff::Package& package_;
    addresses::CoreId core_;
    std::map<std::uint32_t, std::vector<Triggered>> triggered_;  // by queue, in order
    std::vector<tlm::trace::Packet> packets_;
};

}  // namespace trnsim::waves
