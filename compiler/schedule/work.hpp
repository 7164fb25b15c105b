// The time for which steps occupy their engines, for the order of issue. Cycles of the core clock.
#pragma once

#include <span>

#include "arch/cost/cost.hpp"
#include "compiler/builder/step.hpp"
#include "isa/matmul_passes.hpp"

namespace trnsim::schedule {

struct Work {
    std::uint64_t busy = 0;     // until the engine takes the next step
    std::uint64_t latency = 0;  // until the results are ready
};

// Uses arch/cost. Takes steps in the author's order: a matmul uses the weights that were loaded last.
class WorkEstimate {
  public:
    explicit WorkEstimate(const config::Config& config)
        : costs_(config),
          clock_(config.core.clock),
          dma_(config.dma),
          partitions_(static_cast<unsigned>(config.core.partitions)) {}

    // Returns the work of consecutive steps of one engine; none of them is a loop.
    Work of(std::span<const builder::Step> steps);
    Work of(const neff::Transfer& transfer) const;

    // Returns the time to load activation tables: the longest set, from a memory that nothing else uses.
    std::uint64_t table_load() const;

  private:
    Work of_instruction(const builder::Step& step);
    // Returns the number of DMA engines that move a part of the transfer, wherever its first partition is.
    unsigned engines_of(const neff::Transfer& transfer) const;

    cost::Costs costs_;
    std::uint64_t clock_;  // Hz
    config::Dma dma_;
    unsigned partitions_;
    isa::MatmulPasses passes_;
};

}  // namespace trnsim::schedule
