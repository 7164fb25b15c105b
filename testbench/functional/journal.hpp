// Records what every agent has done, for messages that name an earlier access.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/neff/ring_order.hpp"
#include "testbench/functional/agents.hpp"

namespace trnsim::functional {

// e.g. "vector instruction 3 [tensor_copy ...] at kernel.cpp:31"; without the line if the container has none
std::string describe_instruction(const neff::Package& package, std::size_t engine, std::size_t pc);

// e.g. "transfer 7 'load x' in iteration 3 at kernel.cpp:20"; the iteration is told of a transfer in a loop
std::string describe_transfer(const neff::Package& package, std::size_t transfer, std::uint32_t iteration);

class Journal {
  public:
    explicit Journal(const neff::Package& package);

    // Notes what an agent does at its next time; the first time is 1. `work` is the index of an engine's
    // instruction or of a ring's transfer.
    void note(std::size_t agent, std::size_t work) {
        works_[agent].push_back(static_cast<std::uint32_t>(work));
    }
    // Returns the index of the instruction or the transfer.
    std::uint32_t work(std::size_t agent, std::uint32_t time) const { return works_[agent].at(time - 1); }
    // Returns describe_instruction(), or "qSyncLoad on DMA engine 3, transfer 7 'load x' at kernel.cpp:20",
    // with its iteration if it is in a loop.
    std::string describe(std::size_t agent, std::uint32_t time) const;
    // Returns a name for the instruction, or for the transfer whichever DMA engine works at it.
    std::string key(std::size_t agent, std::uint32_t time) const;

  private:
    const neff::Package& package_;
    Agents agents_;
    std::vector<neff::RingOrder> orders_;            // by queue
    std::vector<std::vector<std::uint32_t>> works_;  // by agent and time
};

}  // namespace trnsim::functional
