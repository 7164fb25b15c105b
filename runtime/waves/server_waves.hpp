// What links, collective cores, DMA engines and banks of HBM of a server do, as signals that change.
//
// Scopes: `links`, of each port with a cable chip[c].E; `collectives`, of each channel that has work
// chip[c].core[k].channel[n]; `dma`, of each chip and of each ring that has work chip[c].engine[e].ring[r];
// `hbm`, where the model has banks, of each pseudo channel chip[c].pseudo_channel[k], as HbmLog has them.
// docs/waves.md has the signals.
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
        std::uint64_t time;  // fs, from then on
        tlm::trace::LinkStanding is;
    };

    // Of a stack. Its name is a place in tlm::hbm::CommandNames, as texts of one process are not those of another.
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

    // All of it, for one in another process that has none of these chips.
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
