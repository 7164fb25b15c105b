// The activity of a run, laid out for people who read a trace.
//
// An engine has a track that shows the oldest instruction in flight; if needed, it has another one for the
// wait of its next instruction for a semaphore and one for instructions that wait for another one in the
// engine. A ring of a DMA engine in use has one track; packets have the names of their queue's transfers.
// Flows lead from the last change of a semaphore to the instruction that waited for it. Counters: DMA
// throughput, array utilisation, instructions in flight in each engine.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/neff/package.hpp"
#include "model/trace/sink.hpp"
#include "runtime/session/tracks.hpp"

namespace trnsim::runtime {

class Timeline {
  public:
    // Shows `core`, which executes `package`. Package and tracks must outlive the timeline.
    Timeline(const neff::Package& package, Tracks& tracks, addresses::CoreId core);

    // Adds a packet of a DMA engine of the core.
    void packet(const tlm::trace::Packet& packet);

    // `ideal_cycles` is the fewest core cycles that the array needs for it; 0 if it is no matmul.
    void instruction(const tlm::trace::Instruction& event, const isa::Instruction& instruction,
                     std::uint64_t ideal_cycles, std::span<const Argument> arguments);

  private:
    // A place in the trace.
    struct Point {
        std::uint32_t track = 0;
        std::uint64_t time = 0;  // fs
    };
    // A ring of a DMA engine.
    struct Ring {
        std::uint32_t track = 0;
        std::uint64_t end = 0;  // end of its last slice, fs
    };
    struct Engine {
        std::uint32_t execution = 0, wait = 0,
                      queue = 0;  // tracks; all except the first are made when needed
        bool has_wait = false, has_queue = false;
        std::optional<std::uint64_t> issued;  // fs, last issue
        std::uint64_t end = 0;                // fs, last completion
        std::uint64_t queue_end = 0;          // fs, end of the last slice on that track
    };

    // Returns the last change of a semaphore until then.
    std::optional<Point> last_change(std::uint8_t semaphore, std::uint64_t time) const;
    Ring& ring_of(const tlm::trace::Packet& packet);
    void wait(Engine& engine, const tlm::trace::Instruction& event, const isa::Instruction& instruction);

    const neff::Package& package_;
    Tracks& tracks_;
    std::string chip_, core_;             // names of their groups
    std::optional<std::uint64_t> first_;  // fs, issue of the first instruction to complete
    std::map<std::pair<std::uint32_t, std::uint32_t>, Ring> rings_;  // by DMA engine and ring
    std::array<Engine, neff::EngineCount> engines_;
    std::vector<std::string> variables_;                    // by queue: neff::transfer_names()
    std::vector<std::set<std::uint8_t>> queue_semaphores_;  // by queue: semaphores that it changes
    // Changes of semaphores, in the order of time: packets by queue, instructions by semaphore.
    std::vector<std::vector<Point>> packets_;
    std::map<std::uint8_t, std::vector<Point>> updates_;
};

}  // namespace trnsim::runtime
