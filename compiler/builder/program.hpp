// The instruction streams of a kernel while it is being built: instructions with the events that they come
// after. Semaphores are assigned at the end, when it is known which completions are waited for.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/builder/event.hpp"
#include "compiler/builder/knowledge.hpp"
#include "compiler/builder/resources.hpp"
#include "compiler/builder/semaphore.hpp"
#include "compiler/builder/where.hpp"
#include "compiler/neff/package.hpp"

namespace trnsim::builder {

class Program {
  public:
    // Returns the completion of the instruction that is appended next.
    Event next(isa::Engine engine) const {
        return {static_cast<std::int32_t>(engine), streams_[static_cast<std::size_t>(engine)].size()};
    }
    Event next_transfer(Queue queue) const {
        return {static_cast<std::int32_t>(neff::EngineCount + queue.number),
                transfers_.at(queue.number).size()};
    }

    // Waits for events that the stream knows to have happened are left out. `data_path`: the instruction
    // works in the data path of the engine; others (triggers) run in the sequencer itself, so for them
    // "earlier in the stream" does not mean "completed".
    Event append(isa::Engine engine, const isa::Instruction& instruction, const After& after, bool data_path,
                 const Where& where = Where::current()) {
        return append(engine, instruction, after, data_path, number_of(where));
    }

    // `place` is a result of number_of().
    Event append(isa::Engine engine, const isa::Instruction& instruction, const After& after, bool data_path,
                 std::uint32_t place);

    // Declares a queue and its owner; returns its number.
    Queue add_queue(isa::Engine owner);
    isa::Engine owner(Queue queue) const { return owners_.at(queue.number); }

    // Appends a dma_trigger for `transfer` to the owner of the queue. The event is the completion of the
    // transfer.
    Event append_transfer(Queue queue, std::uint32_t transfer, const After& after,
                          const Where& where = Where::current()) {
        return append_transfer(queue, transfer, after, number_of(where));
    }
    Event append_transfer(Queue queue, std::uint32_t transfer, const After& after, std::uint32_t place);

    // Appends an instruction of a loop (loop_code.hpp), with its own wait and update; a branch names its
    // target's place in the stream, counted from 0. Returns the place of this instruction.
    std::uint64_t append_as_is(isa::Engine engine, const isa::Instruction& instruction, std::uint32_t place);
    // Takes a semaphore for a loop alone. Throws Error when loops have taken most of them.
    Semaphore take_semaphore();
    // Ends a loop. `exits` has for each call the event outside that comes after its last iteration.
    void add_exits(std::vector<Event> exits) { exits_.push_back(std::move(exits)); }
    std::size_t loops() const { return exits_.size(); }
    // Returns an event of a loop that has ended as one outside of it.
    Event outside(const Event& event) const {
        return event.loop == 0 ? event : exits_.at(event.loop - 1).at(event.index);
    }
    // Returns the number of a place in the source files (neff::Sources).
    std::uint32_t number_of(const Where& where);
    const neff::Sources& sources() const { return sources_; }
    // Returns the number of semaphores that loops may still take.
    unsigned loop_semaphores_left() const;

    // Fills the programs, their source lines and the semaphores of the package's transfers. A wait for an
    // engine is a cumulative one on its Counter, a wait for a transfer one on the transfer's place in the
    // TransferCounter of its queue; a trigger waits until that place is free. A transfer that is complete
    // implies those before it in its queue (docs/architecture.md). All but the last of several waits go into
    // nops. Owners of queues wait for their last transfer, then every used stream halts.
    void assign(neff::Package& package) const;

  private:
    struct Recorded {
        isa::Instruction instruction;
        After after;
        bool data_path;
        std::uint32_t place;  // neff::Sources
    };

    struct Transfer {
        std::uint32_t number;   // index in the package
        std::uint64_t trigger;  // its place in the owner's stream
    };

    using Streams = std::array<std::vector<Recorded>, neff::EngineCount>;
    // True for the instructions of an engine whose completion is waited for.
    using Counting = std::array<std::vector<std::uint8_t>, neff::EngineCount>;
    using Points = std::vector<std::vector<Point>>;  // by producer and event

    void share_waits(Recorded& load, std::size_t engine, After& waits);
    std::size_t producers() const { return neff::EngineCount + owners_.size(); }
    std::vector<std::uint32_t> in_flight() const;
    Streams with_queue_waits(std::span<const std::uint32_t> in_flight) const;
    Counting drop_needless_waits(Streams& streams) const;
    Points assign_semaphores(const Counting& counting, std::span<const std::uint32_t> in_flight,
                             neff::Package& package) const;
    static void emit(std::size_t engine, std::span<const Recorded> stream, const Counting& counting,
                     const Points& points, neff::Package& package);

    neff::Sources sources_;  // files and places
    struct BeforeInFile {
        using is_transparent = void;
        template <typename A, typename B>
        bool operator()(const A& a, const B& b) const {
            return a.second != b.second ? a.second < b.second
                                        : std::string_view(a.first) < std::string_view(b.first);
        }
    };
    // The key is file and line.
    std::map<std::pair<std::string, std::uint32_t>, std::uint32_t, BeforeInFile> places_;
    Knowledge knowledge_;
    Streams streams_;
    std::vector<isa::Engine> owners_;
    std::vector<std::vector<Transfer>> transfers_;  // transfers of each queue, in order
    std::vector<std::vector<Event>> exits_;         // exits of each loop
    unsigned loop_semaphores_ = 0;
};

}  // namespace trnsim::builder
