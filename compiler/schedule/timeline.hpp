// When engines are at work, as far as that is known before a kernel runs: each does its steps one behind the other, all transfers share
// the DMA engines. Cycles of the core clock.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "compiler/builder/kernel_builder.hpp"
#include "compiler/schedule/tables.hpp"
#include "compiler/schedule/work.hpp"

namespace trnsim::schedule {

// Steps that are issued one behind the other.
struct Task {
    Work work;
    std::size_t engine = 0;  // that does it: a place of Timeline::free_
    isa::Engine owner{};     // that issues it
    std::optional<isa::Activation> function;
    std::optional<builder::GpsimdImage> image;
};

class Timeline {
  public:
    Timeline(const config::Config& config, const builder::KernelBuilder& kernel)
        : kernel_(kernel), estimate_(config), table_load_(estimate_.table_load()) {}

    // To be asked in the author's order.
    Task task_of(std::span<const builder::Step> steps);

    // The cycle in which a task begins that is issued next and has all it needs in cycle `ready`.
    std::uint64_t start_of(const Task& task, std::uint64_t ready) const;

    // Issues it, a transfer not before cycle `held`. Returns the cycle in which its results are there.
    std::uint64_t issue(const Task& task, std::uint64_t ready, std::uint64_t held);

  private:
    static constexpr std::size_t Dma = neff::EngineCount;

    const builder::KernelBuilder& kernel_;
    WorkEstimate estimate_;
    std::uint64_t table_load_;
    Tables tables_;
    std::optional<builder::GpsimdImage> image_;  // that the GpSimd cores run
    std::array<std::uint64_t, neff::EngineCount>
        reached_{};  // by engine: its sequencer has issued all until then
    std::array<std::uint64_t, neff::EngineCount + 1>
        free_{};  // by engine, and of DMA: it has done all that was issued
};

}  // namespace trnsim::schedule
