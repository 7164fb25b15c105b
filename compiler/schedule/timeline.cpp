#include "compiler/schedule/timeline.hpp"

#include <algorithm>

namespace trnsim::schedule {

using builder::Step;

namespace {

bool is_in_psum(const Step& step) {
    if (step.engine != isa::Engine::Vector && step.engine != isa::Engine::Scalar) return false;
    return !step.queue && std::ranges::any_of(step.accesses, [](const builder::Access& access) {
        return access.tile() != nullptr && access.tile()->memory == target::Memory::Psum;
    });
}

}  // namespace

Task Timeline::task_of(std::span<const Step> steps) {
    const Step& last = steps.back();
    return {.work = estimate_.of(steps),
            .engine = last.queue ? Dma : static_cast<std::size_t>(last.engine),
            .owner = last.engine,
            .in_psum = is_in_psum(last),
            .function = last.function,
            .image = last.image};
}

Task Timeline::task_of(const Step& step, isa::Engine engine) {
    Step other = step;
    other.engine = engine;
    return task_of(std::span(&other, 1));
}

std::uint64_t Timeline::start_of(const Task& task, std::uint64_t ready) const {
    const std::uint64_t start =
        std::max({ready, free_.at(task.engine), reached_.at(static_cast<std::size_t>(task.owner))});
    return tables_.would_load(task.function) ? start + table_load_ : start;
}

std::uint64_t Timeline::end_of(const Task& task, std::uint64_t ready) const {
    std::uint64_t start = start_of(task, ready);
    if (task.in_psum) {
        const isa::Engine other =
            task.owner == isa::Engine::Vector ? isa::Engine::Scalar : isa::Engine::Vector;
        start = std::max(start, psum_.at(static_cast<std::size_t>(other)));
    }
    return start + task.work.latency;
}

std::uint64_t Timeline::issue(const Task& task, std::uint64_t ready, std::uint64_t held) {
    std::uint64_t start = start_of(task, ready);
    if (task.image && task.image != image_) {
        start += estimate_.of(kernel_.image_load(*task.image)).latency;
        image_ = task.image;
    }
    tables_.use(task.function);
    free_.at(task.engine) = start + task.work.busy;
    use(task.owner);
    if (task.in_psum) psum_.at(task.engine) = start + task.work.latency;
    // A sequencer continues when it has triggered a transfer, or given the step to its engine.
    std::uint64_t& reached = reached_.at(static_cast<std::size_t>(task.owner));
    reached = std::max(reached, task.engine == Dma ? std::max(ready, held) : start);
    end_ = std::max(end_, start + task.work.latency);
    return start + task.work.latency;
}

}  // namespace trnsim::schedule
