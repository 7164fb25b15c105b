// What the DMA engines do in a run, as signals that change.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "lib/neff/package.hpp"
#include "lib/waves/add_signals.hpp"
#include "tlm/trace/sink.hpp"

namespace trnsim::waves {

// The name of that scope, beside those of a core, of recordings without a choice and with all.
inline constexpr const char* DmaScope = "dma";
bool records_dma(const std::vector<std::string>& scopes);
// Those the core is to record.
std::vector<std::string> core_scopes(const std::vector<std::string>& scopes);

class DmaLog : public tlm::trace::Sink {
  public:
    // Of core 0 of chip 0, which executes `package`. The package must outlive the log.
    explicit DmaLog(const neff::Package& package) : package_(package) {}

    void instruction(const tlm::trace::Instruction& instruction) override;
    void packet(const tlm::trace::Packet& packet) override;

    // `bytes` under way and `engines`, a bit for each that moves some; of each queue its `name`, the
    // `transfer` at work, how many are `pending` (triggered and not complete), `packets` and `bytes` under
    // way. Queue i is ring i.
    std::vector<Signal> signals() const;
    // In the order of time, from 0.
    std::vector<Change> changes() const;

    // Into a recording, whose time after the last cycle of the core is left out unless it is `whole`. Returns
    // why the file is not whole; empty: it is.
    std::string add_to(const std::filesystem::path& recording, bool whole) const;

  private:
    struct Triggered {
        std::uint64_t time;  // fs
        std::size_t transfer;
    };

    const neff::Package& package_;
    std::map<std::uint32_t, std::vector<Triggered>> triggered_;  // by queue, in order
    std::vector<tlm::trace::Packet> packets_;
};

}  // namespace trnsim::waves
