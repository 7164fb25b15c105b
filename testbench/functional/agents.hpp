// The agents of a kernel: every unit that works on its own and meets others only at semaphores.
#pragma once

#include <cstddef>
#include <string>

#include "compiler/neff/package.hpp"

namespace trnsim::functional {

// Numbers the agents: the engines come first, then every DMA engine's ring of every queue.
class Agents {
  public:
    explicit Agents(const neff::Package& package) : package_(&package) {}

    std::size_t dma_engines() const { return static_cast<std::size_t>(package_->target.dma_engines); }
    std::size_t count() const { return neff::EngineCount + package_->queues.size() * dma_engines(); }
    std::size_t ring(std::size_t queue, std::size_t dma_engine) const {
        return neff::EngineCount + queue * dma_engines() + dma_engine;
    }
    // Clocks have an entry for each agent, and one for each engine that says how far it is known to have
    // issued: a sequencer reads a semaphore when it issues an instruction, before any effect of the
    // instruction.
    std::size_t issue_entry(std::size_t engine) const { return count() + engine; }
    std::size_t clock_entries() const { return count() + neff::EngineCount; }
    // e.g. "vector", "qSyncLoad on DMA engine 3"
    std::string name(std::size_t agent) const;

  private:
    const neff::Package* package_;
};

}  // namespace trnsim::functional
