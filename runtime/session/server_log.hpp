// The activity of the chips and links of a server, kept for a trace: instructions of cores, intervals in
// which a link or the data bus of a pseudo channel of HBM works without a gap, packets of DMA engines,
// entries of collective cores.
//
// If a server runs in several processes, each keeps its own events; together they are those that one process
// would have kept.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/trace/sink.hpp"
#include "runtime/session/by_place.hpp"

namespace trnsim::runtime {

class ServerLog : public tlm::trace::Sink {
  public:
    // Times are fs, start <= end.
    struct Interval {
        std::uint64_t start = 0, end = 0;
    };
    // Consecutive frames of a link. Bytes are those of data in packets that are sent for the first time.
    struct Burst {
        std::uint64_t start = 0, end = 0;
        std::uint64_t bytes = 0, flits = 0;
        std::uint64_t packets = 0, repetitions = 0, control = 0;  // frames
    };
    // How a direction of a link stands from a time on.
    struct Condition {
        std::uint64_t time = 0;
        std::uint64_t state = 0;  // tlm::trace::LinkStanding::State
        std::uint64_t failed_lanes = 0;
    };
    // Consecutive data of HBM in one direction.
    struct Moved {
        std::uint64_t start = 0, end = 0;
        std::uint64_t bytes = 0, write = 0;
    };

    void instruction(const tlm::trace::Instruction& instruction) override;
    void packet(const tlm::trace::Packet& packet) override;
    void dram_command(const tlm::trace::DramCommand& command) override;
    void link_frame(const tlm::trace::LinkFrame& frame) override;
    void link_stall(const tlm::trace::LinkStall& stall) override;
    void link_standing(const tlm::trace::LinkEnd& from, std::uint64_t time,
                       const tlm::trace::LinkStanding& standing) override;
    void collective_entry(const tlm::trace::CollectiveEntry& entry) override;

    // The entries are in the order of time at each place.
    const ByPlace<tlm::trace::CollectiveEntry>& entries() const { return entries_; }
    const ByPlace<tlm::trace::Packet>& packets() const { return packets_; }
    const ByPlace<Moved>& moved() const { return moved_; }
    const ByPlace<std::uint64_t>& refreshes() const { return refreshes_; }
    const ByPlace<Burst>& bursts() const { return bursts_; }
    const ByPlace<Interval>& stalls() const { return stalls_; }
    const ByPlace<std::uint64_t>& retries() const { return retries_; }
    const ByPlace<Condition>& conditions() const { return conditions_; }
    const ByPlace<std::uint64_t>& damaged() const { return damaged_; }  // when frames with wrong bits began
    const ByPlace<std::uint64_t>& lost() const { return lost_; }

    // Returns the time of the last event of links, DMA engines and collective cores.
    std::uint64_t last() const;

    // Takes from the log the instructions of a core, and the packets of its DMA engines in rings below
    // `rings`, in the order of their ends.
    std::vector<tlm::trace::Instruction> take_instructions(addresses::CoreId core);
    std::vector<tlm::trace::Packet> take_packets(addresses::CoreId core, std::uint32_t rings);

    // Returns all of it, for a log in another process that has none of these chips.
    std::string bytes() const;
    void add(const std::string& bytes);

  private:
    ByPlace<tlm::trace::Instruction> instructions_;
    ByPlace<tlm::trace::CollectiveEntry> entries_;
    ByPlace<tlm::trace::Packet> packets_;
    ByPlace<Moved> moved_;
    ByPlace<std::uint64_t> refreshes_;
    ByPlace<Burst> bursts_;
    ByPlace<Interval> stalls_;
    ByPlace<std::uint64_t> retries_;
    ByPlace<Condition> conditions_;
    ByPlace<std::uint64_t> damaged_, lost_;
};

}  // namespace trnsim::runtime
