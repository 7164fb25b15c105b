// Vector clocks: which accesses semaphores order, whatever the timing.
#pragma once

#include <cstdint>
#include <vector>

namespace trnsim::functional {

// How far each agent (an engine, a DMA queue) is known to have come.
using Clock = std::vector<std::uint32_t>;

void join(Clock& clock, const Clock& other);

// The bytes of one memory as every partition has them; accesses of different agents to one offset must be
// ordered unless all of them read. Partitions are not told apart: programs that give the same offsets of
// different partitions to different engines at the same time are reported too.
class RaceCheck {
  public:
    RaceCheck(std::uint64_t partition_bytes, std::size_t agents);

    // Agent `agent` at its own time `now`, knowing `clock`. Returns the agent it races with, or -1.
    int read(std::uint64_t first, std::uint64_t end, std::size_t agent, std::uint32_t now,
             const Clock& clock);
    int write(std::uint64_t first, std::uint64_t end, std::size_t agent, std::uint32_t now,
              const Clock& clock);

  private:
    bool wrote_unseen(std::uint64_t byte, std::size_t agent, const Clock& clock) const;

    std::size_t agents_;
    std::vector<std::uint16_t> writer_;  // by byte, agent + 1
    std::vector<std::uint32_t> write_time_;
    std::vector<std::uint32_t> read_time_;  // by byte and agent
};

}  // namespace trnsim::functional
