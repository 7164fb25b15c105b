// An estimate of the times at which engines work, before a kernel runs: each executes its steps one after the
// other, all transfers share the DMA engines. Cycles of the core clock.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "compiler/builder/kernel_builder.hpp"
#include "compiler/schedule/tables.hpp"
#include "compiler/schedule/work.hpp"

namespace trnsim::schedule {

// Steps that are issued one after the other.
struct Task {
    Work work;
    std::size_t engine = 0;  // index in Timeline::free_ of the engine that executes it
    isa::Engine owner{};     // the engine that issues it
    std::optional<isa::Activation> function;
    std::optional<builder::GpsimdImage> image;
};

class Timeline {
  public:
    Timeline(const config::Config& config, const builder::KernelBuilder& kernel)
        : kernel_(kernel), estimate_(config), table_load_(estimate_.table_load()) {}

    // Call it in the author's order.
    Task task_of(std::span<const builder::Step> steps);

    // Returns the cycle in which a task begins if it is issued next and has everything it needs in cycle
    // `ready`.
    std::uint64_t start_of(const Task& task, std::uint64_t ready) const;

    // Issues the task, a transfer not before cycle `held`. Returns the cycle in which its results are ready.
    std::uint64_t issue(const Task& task, std::uint64_t ready, std::uint64_t held);

  private:
    static constexpr std::size_t Dma = neff::EngineCount;

    const builder::KernelBuilder& kernel_;
    WorkEstimate estimate_;
    std::uint64_t table_load_;
    Tables tables_;
    std::optional<builder::GpsimdImage> image_;  // image that the GpSimd cores run
    std::array<std::uint64_t, neff::EngineCount>
        reached_{};  // by engine: the cycle up to which its sequencer is busy
    std::array<std::uint64_t, neff::EngineCount + 1>
        free_{};  // by engine, and for DMA: the cycle in which its issued steps are done
};

}  // namespace trnsim::schedule
