// What the DMA engines do in a run, as signals that change.
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
    // Of this core, which executes `package`. The package must outlive the log.
    explicit DmaLog(const neff::Package& package, addresses::CoreId core = {})
        : package_(package), core_(core) {}

    void instruction(const tlm::trace::Instruction& instruction) override;
    void packet(const tlm::trace::Packet& packet) override;

    // `bytes` under way and `engines`, a bit for each of the core's that moves some; of each queue its `name`, the
    // `transfer` at work, how many are `pending` (triggered and not complete), `packets` and `bytes` under
    // way. Queue i is ring i.
    std::vector<Signal> signals() const;
    // In the order of time, from 0.
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
