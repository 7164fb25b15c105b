// What a run did, laid out for a person who looks at a trace.
//
// An engine has a track with what executes, of instructions under way at a time the oldest; beside it, where
// there is anything, one for the wait of its next instruction for a semaphore and one for instructions that
// wait behind another in the engine. A ring of a DMA engine has one track; packets bear the name of their
// queue's transfer. Flows lead from what changed a semaphore last to the instruction that waited for it.
// Counters: DMA throughput, array utilisation, instructions under way in each engine.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/neff/package.hpp"
#include "tlm/trace/sink.hpp"

namespace trnsim::runtime {

class Timeline {
  public:
    // Both must outlive the timeline.
    Timeline(const neff::Package& package, tlm::trace::Sink& sink);

    // Tracks and slices of the models.
    std::uint32_t add_track(std::string_view group, std::string_view name);
    void slice(std::uint32_t track, std::string_view name, std::uint64_t start, std::uint64_t end,
               std::span<const tlm::trace::Argument> arguments);

    // `ideal_cycles`: core cycles that the array needs for it at best; 0 for what is no matmul.
    void instruction(const tlm::trace::Instruction& event, const isa::Instruction& instruction,
                     std::uint64_t ideal_cycles, std::span<const tlm::trace::Argument> arguments);

  private:
    // A place in the trace.
    struct Point {
        std::uint32_t track = 0;
        std::uint64_t time = 0;  // fs
    };
    struct Track {
        std::uint32_t handle = 0;           // the sink's
        std::optional<std::uint32_t> ring;  // of a DMA engine
        std::uint64_t end = 0;              // of its last slice, fs
    };
    struct Engine {
        std::uint32_t execution = 0, wait = 0,
                      queue = 0;  // tracks; those beside the first are made when needed
        bool has_wait = false, has_queue = false;
        std::optional<std::uint64_t> issued;  // fs, the last one
        std::uint64_t end = 0;                // fs, of the last completion
        std::uint64_t queue_end = 0;          // fs, of the last slice on that track
    };

    // What changed a semaphore last until then.
    std::optional<Point> last_change(std::uint8_t semaphore, std::uint64_t time) const;
    void wait(Engine& engine, const tlm::trace::Instruction& event, const isa::Instruction& instruction);

    const neff::Package& package_;
    tlm::trace::Sink& sink_;
    std::optional<std::uint64_t> first_;  // fs, issue of the first instruction to complete
    std::vector<Track> tracks_;
    std::array<Engine, neff::EngineCount> engines_;
    std::vector<std::string> variables_;                    // of each queue: its transfers
    std::vector<std::set<std::uint8_t>> queue_semaphores_;  // that they change
    // What changed semaphores, in the order of time: packets by queue, instructions by semaphore.
    std::vector<std::vector<Point>> packets_;
    std::map<std::uint8_t, std::vector<Point>> updates_;
};

}  // namespace trnsim::runtime
