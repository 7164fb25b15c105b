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
    bool in_psum = false;    // Vector or Scalar works on PSUM, whose port they share
    std::optional<isa::Activation> function;
    std::optional<builder::GpsimdImage> image;
};

class Timeline {
  public:
    Timeline(const config::Config& config, const builder::KernelBuilder& kernel)
        : kernel_(kernel), estimate_(config), table_load_(estimate_.table_load()) {}

    // Call it in the author's order.
    Task task_of(std::span<const builder::Step> steps);
    // Returns the task of a step that another engine executes than the step says.
    Task task_of(const builder::Step& step, isa::Engine engine);

    // Returns the cycle in which a task begins if it is issued next and has everything it needs in cycle
    // `ready`.
    std::uint64_t start_of(const Task& task, std::uint64_t ready) const;

    // Returns the cycle in which the results of such a task are ready, and those of Vector and Scalar wait for
    // the port of PSUM.
    std::uint64_t end_of(const Task& task, std::uint64_t ready) const;

    // Says that the kernel uses the engine in any case.
    void use(isa::Engine engine) { used_.at(static_cast<std::size_t>(engine)) = true; }
    // Returns the cycles by which a run takes longer because the task is its engine's only one.
    std::uint64_t start_up(const Task& task) const {
        return used_.at(static_cast<std::size_t>(task.owner)) ? 0 : EngineStart;
    }

    // Issues the task, a transfer not before cycle `held`. Returns the cycle in which its results are ready.
    std::uint64_t issue(const Task& task, std::uint64_t ready, std::uint64_t held);
    // Returns the cycle in which the results of all issued tasks are ready.
    std::uint64_t end() const { return end_; }

  private:
    // Measured with kernels of a few steps: 396 and 411 cycles.
    static constexpr std::uint64_t EngineStart = 400;
    static constexpr std::size_t Dma = neff::EngineCount;

    const builder::KernelBuilder& kernel_;
    WorkEstimate estimate_;
    std::uint64_t table_load_;
    Tables tables_;
    std::optional<builder::GpsimdImage> image_;  // image that the GpSimd cores run
    std::uint64_t end_ = 0;
    std::array<std::uint64_t, neff::EngineCount>
        reached_{};  // by engine: the cycle up to which its sequencer is busy
    std::array<std::uint64_t, neff::EngineCount + 1>
        free_{};  // by engine, and for DMA: the cycle in which its issued steps are done
    std::array<bool, neff::EngineCount> used_{};  // by engine: it has steps
    std::array<std::uint64_t, neff::EngineCount>
        psum_{};  // by engine: the cycle in which Vector's and Scalar's issued steps in PSUM are done
};

}  // namespace trnsim::schedule
