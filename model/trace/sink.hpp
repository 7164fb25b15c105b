// Where models report what happened when. Implemented by whoever keeps or shows it; the models only call.
//
// Times are femtoseconds of simulated time, start <= end.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "arch/addresses/addresses.hpp"

namespace trnsim::tlm::trace {

// An instruction between leaving its sequencer and completing. Cycles count the core clock from the start of
// simulated time, cycles in which the clock stood still included.
struct Instruction {
    std::uint32_t engine = 0;  // isa::Engine
    std::uint32_t pc = 0;      // instruction index in the engine's program
    std::uint64_t issue_cycle = 0, completion_cycle = 0;
    std::uint64_t start = 0, end = 0;  // fs
    addresses::CoreId core{};
};

// A packet of a DMA engine between its first write and the answer to its last one.
struct Packet {
    unsigned chip = 0, core = 0;         // whose engine it is
    std::uint32_t engine = 0, ring = 0;  // engines count through the chip: those of core 1 after core 0's
    std::uint64_t start = 0, end = 0;    // fs
    std::uint64_t bytes = 0;
    std::uint32_t descriptors = 0;
    std::uint64_t source = 0, destination = 0;  // system addresses of its first descriptors
};

// What a stack of HBM with banks tells a pseudo channel (docs/hbm.md), and when the data of a read or a write move.
struct DramCommand {
    unsigned chip = 0, stack = 0, channel = 0, pseudo = 0;
    std::string_view name;                        // "ACT"
    std::uint64_t start = 0, end = 0;             // fs, on the command bus
    std::uint64_t data_start = 0, data_end = 0;   // fs; equal: no data
    bool write = false;                           // of the data
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

    LinkEnd from{};
    Kind kind = Kind::Packet;
    std::uint64_t start = 0, end = 0;    // fs
    std::uint64_t flits = 0, bytes = 0;  // bytes of data
    unsigned channel = 0;                // virtual, of its packet
};

// A packet waits for credits while the wire is free.
struct LinkStall {
    LinkEnd from{};
    std::uint64_t start = 0, end = 0;  // fs
};

// How the sending end of a link stands (docs/neuronlink.md).
struct LinkStanding {
    static constexpr std::size_t Channels = 4;
    enum class State : std::uint8_t { Up, Down, Training };

    State state = State::Up;
    bool repeats = false, stalled = false;
    std::array<std::uint64_t, Channels> credits{};  // flits that may go, by virtual channel
    std::uint64_t replay = 0;                       // flits that are not acknowledged
    std::uint64_t retries = 0;                      // times that sending again has begun

    bool operator==(const LinkStanding&) const = default;
};

// An entry of a channel of a collective core: from when it came to the head of its channel until its flags were there and
// its doorbells left.
struct CollectiveEntry {
    unsigned chip = 0, core = 0, channel = 0;  // of the chip, of the core's program
    std::uint32_t entry = 0;                   // of the channel
    std::uint32_t waits = 0, doorbells = 0;
    std::uint64_t start = 0, end = 0;  // fs
};

class Sink {
  public:
    virtual ~Sink() = default;

    // In the order of their ends, of one engine of a core and of one DMA engine.
    virtual void instruction(const Instruction& instruction) = 0;
    virtual void packet(const Packet& packet) = 0;
    // In the order of time of one pseudo channel, some time after it; only while they are asked for
    // (chip::Chip::report_dram).
    virtual void dram_command(const DramCommand&) {}
    // In the order of time of one link and direction; frames and stalls in that of their ends.
    virtual void link_frame(const LinkFrame&) {}
    virtual void link_stall(const LinkStall&) {}
    // At first and when it has changed, at the end of all that happens at this time (fs).
    virtual void link_standing(const LinkEnd&, std::uint64_t /*time*/, const LinkStanding&) {}
    // In the order of time of one channel.
    virtual void collective_entry(const CollectiveEntry&) {}
};

}  // namespace trnsim::tlm::trace
