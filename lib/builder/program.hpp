// The instruction streams of a kernel while it is being built: instructions with the events they come
// after. Semaphores are assigned at the end, when it is known which completions anything waits for.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <source_location>
#include <utility>
#include <vector>

#include "lib/neff/package.hpp"

namespace trnsim::builder {

// The completion of an instruction or of a DMA transfer. Default: something that has always happened.
struct Event {
    std::int32_t producer = -1;  // an engine, or EngineCount + a queue
    std::uint64_t index = 0;     // of the instruction in its stream, of the transfer in its queue
};

// The call of the kernel's author that an instruction comes from.
using Where = std::source_location;

// What an instruction comes after. An event of the same engine costs nothing where the engine's own order
// implies it.
using After = std::vector<Event>;

class Program {
  public:
    // `data_path`: the instruction works in the engine behind the sequencer; others (triggers) run in the
    // sequencer itself, so that "earlier in the stream" does not mean "completed" for them.
    Event append(isa::Engine engine, const isa::Instruction& instruction, const After& after, bool data_path,
                 const Where& where = Where::current());

    // Declares a queue and its owner; returns its number.
    std::uint32_t add_queue(isa::Engine owner);
    isa::Engine owner(std::uint32_t queue) const { return owners_.at(queue); }

    // A dma_trigger for `transfer` on the owner of the queue. The event is the completion of the transfer.
    Event append_transfer(std::uint32_t queue, std::uint32_t transfer, const After& after,
                          const Where& where = Where::current());

    // Fills the programs, their source lines and the semaphores of the package's transfers. A wait for an
    // engine is a cumulative one on its Counter, a wait for a transfer one on the transfer's place in the
    // TransferCounter of its queue; a trigger waits until that place is free. A transfer that is complete
    // implies those before it in its queue (docs/architecture.md). Waits that an earlier one of the same
    // stream implies are left out; all but the last of several go into nops. Owners of queues wait for their
    // last transfer, then every used stream halts.
    void assign(neff::Package& package) const;

  private:
    struct Recorded {
        isa::Instruction instruction;
        After after;
        bool data_path;
        std::uint32_t place;  // neff::Sources
    };

    struct Transfer {
        std::uint32_t number;   // in the package
        std::uint64_t trigger;  // its place in the owner's stream
    };

    std::vector<std::uint32_t> in_flight() const;
    std::uint32_t number_of(const Where& where);

    neff::Sources sources_;  // files and places
    std::map<std::pair<const char*, std::uint32_t>, std::uint32_t> places_;
    std::array<std::vector<Recorded>, neff::EngineCount> streams_;
    std::vector<isa::Engine> owners_;
    std::vector<std::vector<Transfer>> transfers_;  // of each queue, in order
};

}  // namespace trnsim::builder
