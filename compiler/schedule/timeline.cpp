#include "compiler/schedule/timeline.hpp"

#include <algorithm>

namespace trnsim::schedule {

using builder::Step;

Task Timeline::task_of(std::span<const Step> steps) {
    const Step& last = steps.back();
    return {.work = estimate_.of(steps),
            .engine = last.queue ? Dma : static_cast<std::size_t>(last.engine),
            .owner = last.engine,
            .function = last.function,
            .image = last.image};
}

std::uint64_t Timeline::start_of(const Task& task, std::uint64_t ready) const {
    const std::uint64_t start =
        std::max({ready, free_.at(task.engine), reached_.at(static_cast<std::size_t>(task.owner))});
    return tables_.would_load(task.function) ? start + table_load_ : start;
}

std::uint64_t Timeline::issue(const Task& task, std::uint64_t ready, std::uint64_t held) {
    std::uint64_t start = start_of(task, ready);
    if (task.image && task.image != image_) {
        start += estimate_.of(kernel_.image_load(*task.image)).latency;
        image_ = task.image;
    }
    tables_.use(task.function);
    free_.at(task.engine) = start + task.work.busy;
    // A sequencer continues when it has triggered a transfer, or given the step to its engine.
    std::uint64_t& reached = reached_.at(static_cast<std::size_t>(task.owner));
    reached = std::max(reached, task.engine == Dma ? std::max(ready, held) : start);
    return start + task.work.latency;
}

}  // namespace trnsim::schedule
