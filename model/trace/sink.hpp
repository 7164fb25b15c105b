// The interface through which models report what happened and when. Those that keep or show it implement it.
//
// Times are femtoseconds of simulated time, start <= end.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "arch/addresses/addresses.hpp"

namespace trnsim::tlm::trace {

// An instruction from leaving its sequencer to completing. Cycles count the core clock from the start of
// simulated time, including cycles in which the clock stood still.
struct Instruction {
    std::uint32_t engine = 0;  // isa::Engine
    std::uint32_t pc = 0;      // instruction index in the engine's program
    std::uint64_t issue_cycle = 0, completion_cycle = 0;
    std::uint64_t start = 0, end = 0;  // fs
    addresses::CoreId core{};
};

// A packet of a DMA engine between its first write and the answer to its last one.
struct Packet {
    unsigned chip = 0, core = 0;         // the engine's
    std::uint32_t engine = 0, ring = 0;  // engine numbers continue over the cores of a chip
    std::uint64_t start = 0, end = 0;    // fs
    std::uint64_t bytes = 0;
    std::uint32_t descriptors = 0;
    std::uint64_t source = 0, destination = 0;  // system addresses of its first descriptors
};

// A command from a stack of HBM with banks to a pseudo channel (docs/hbm.md), and when its data move.
struct DramCommand {
    unsigned chip = 0, stack = 0, channel = 0, pseudo = 0;
    std::string_view name;                        // "ACT"
    std::uint64_t start = 0, end = 0;             // fs, on the command bus
    std::uint64_t data_start = 0, data_end = 0;   // fs; equal: no data
    bool write = false;                           // direction of the data
    std::uint32_t bank = 0, row = 0, column = 0;  // 0 where the command has none

    bool moves_data() const { return data_start != data_end; }
};

// A port of a chip that sends over a link.
struct LinkEnd {
    unsigned chip = 0, port = 0;
};

// A frame on the wire, from its first bit to its last one at the sending end.
struct LinkFrame {
    enum class Kind : std::uint8_t { Packet, Repetition, Control };
    enum class Fate : std::uint8_t { Whole, Damaged, Lost };

    LinkEnd from{};
    Kind kind = Kind::Packet;
    Fate fate = Fate::Whole;             // on the wire
    std::uint64_t start = 0, end = 0;    // fs
    std::uint64_t flits = 0, bytes = 0;  // bytes of data
    unsigned channel = 0;                // virtual channel of its packet
};

// A time in which a packet waits for credits while the wire is free.
struct LinkStall {
    LinkEnd from{};
    std::uint64_t start = 0, end = 0;  // fs
};

// The state of the sending end of a link (docs/neuronlink.md).
struct LinkStanding {
    static constexpr std::size_t Channels = 4;
    enum class State : std::uint8_t { Up, Down, Training };

    State state = State::Up;
    bool repeats = false, stalled = false;
    std::array<std::uint64_t, Channels> credits{};  // flits that may be sent, by virtual channel
    std::uint64_t replay = 0;                       // flits that are not acknowledged
    std::uint64_t retries = 0;                      // times that sending again has begun
    std::uint64_t failed_lanes = 0;                 // of this direction

    bool operator==(const LinkStanding&) const = default;
};

// An entry of a channel of a collective core: from when it came to the head of its channel until its flags
// were there and its doorbells left.
struct CollectiveEntry {
    unsigned chip = 0, core = 0, channel = 0;  // core of the chip, channel of the core's program
    std::uint32_t entry = 0;                   // number in the channel
    std::uint32_t waits = 0, doorbells = 0;
    std::uint64_t start = 0, end = 0;  // fs
};

class Sink {
  public:
    virtual ~Sink() = default;

    // Called in the order of their ends, for each engine of a core and for each DMA engine.
    virtual void instruction(const Instruction& instruction) = 0;
    virtual void packet(const Packet& packet) = 0;
    // Called in the order of time for each pseudo channel, some time after the command; only while commands
    // are asked for (chip::Chip::report_dram).
    virtual void dram_command(const DramCommand&) {}
    // Called in the order of time for each link and direction; frames and stalls in the order of their ends.
    virtual void link_frame(const LinkFrame&) {}
    virtual void link_stall(const LinkStall&) {}
    // Called at first and after each change, at the end of all that happens at this time (fs).
    virtual void link_standing(const LinkEnd&, std::uint64_t /*time*/, const LinkStanding&) {}
    // Called in the order of time for each channel.
    virtual void collective_entry(const CollectiveEntry&) {}
};

}  // namespace trnsim::tlm::trace
