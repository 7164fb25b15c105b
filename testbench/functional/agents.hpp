// The agents of a kernel: whatever works on its own and meets others only at semaphores.
#pragma once

#include <cstddef>
#include <string>

#include "testbench/neff/package.hpp"

namespace trnsim::functional {

// The engines come first, then every DMA engine's ring of every queue.
class Agents {
  public:
    explicit Agents(const neff::Package& package) : package_(&package) {}

    std::size_t dma_engines() const { return static_cast<std::size_t>(package_->target.dma_engines); }
    std::size_t count() const { return neff::EngineCount + package_->queues.size() * dma_engines(); }
    std::size_t ring(std::size_t queue, std::size_t dma_engine) const {
        return neff::EngineCount + queue * dma_engines() + dma_engine;
    }
    // "vector", "qSyncLoad on DMA engine 3"
    std::string name(std::size_t agent) const;

  private:
    const neff::Package* package_;
};

}  // namespace trnsim::functional
