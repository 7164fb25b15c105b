// The activity of links, collective cores, DMA engines and banks of HBM of a server as signals.
//
// Scopes: `links`, with chip[c].E for each port that has a cable; `collectives`, with
// chip[c].core[k].channel[n] for each channel that has work; `dma`, with each chip and
// chip[c].engine[e].ring[r] for each ring that has work; `hbm`, if the model has banks, with
// chip[c].pseudo_channel[k] for each pseudo channel, as in HbmLog. docs/waves.md has the signals.
#pragma once

#include <string>
#include <vector>

#include "model/neuronlink/topology.hpp"
#include "model/trace/sink.hpp"
#include "runtime/session/by_place.hpp"
#include "runtime/waves/signals.hpp"

namespace trnsim::waves {

class ServerWaves : public tlm::trace::Sink {
  public:
    struct Standing {
        std::uint64_t time;  // fs
        tlm::trace::LinkStanding is;
    };

    // A command of a stack. Its name is an index in tlm::hbm::CommandNames, because pointers to text are not
    // valid in another process.
    struct Command {
        std::size_t name;
        tlm::trace::DramCommand is;
    };

    void instruction(const tlm::trace::Instruction&) override {}
    void packet(const tlm::trace::Packet& packet) override;
    void dram_command(const tlm::trace::DramCommand& command) override;
    void link_frame(const tlm::trace::LinkFrame& frame) override;
    void link_standing(const tlm::trace::LinkEnd& from, std::uint64_t time,
                       const tlm::trace::LinkStanding& standing) override;
    void collective_entry(const tlm::trace::CollectiveEntry& entry) override;

    std::vector<Scope> scopes(const tlm::neuronlink::Topology& topology) const;

    // Returns all of it, for a log in another process that has none of these chips.
    std::string bytes() const;
    void add(const std::string& bytes);

  private:
    runtime::ByPlace<tlm::trace::LinkFrame> frames_;
    runtime::ByPlace<Standing> standings_;
    runtime::ByPlace<tlm::trace::CollectiveEntry> entries_;
    runtime::ByPlace<tlm::trace::Packet> packets_;
    runtime::ByPlace<Command> commands_;
};

}  // namespace trnsim::waves
