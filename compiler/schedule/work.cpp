#include "compiler/schedule/work.hpp"

#include <algorithm>
#include <cstdlib>

#include "arch/activation/table_image.hpp"
#include "base/time/cycles.hpp"
#include "isa/core_window.hpp"

namespace trnsim::schedule {

using builder::Step;
using isa::Opcode;

namespace {

std::uint64_t elements_of(const neff::Pattern& pattern) {
    std::uint64_t elements = 1;
    for (const std::uint32_t count : pattern.count) elements *= count;
    return elements;
}

// Returns a side of a transfer: a descriptor for each run of adjacent elements, and at least one for each
// engine.
cost::TransferSide side_of(const neff::Pattern& pattern, std::uint64_t element_bytes, std::uint64_t engines) {
    const std::uint64_t elements = elements_of(pattern), bytes = elements * element_bytes;
    std::uint64_t run = 1;
    for (std::size_t d = 0; d < pattern.count.size(); ++d) {
        if (pattern.count[d] == 1) continue;
        if (pattern.step[d] != static_cast<std::int64_t>(run * element_bytes)) break;
        run *= pattern.count[d];
    }
    return {bytes, std::clamp(engines, elements / run, elements)};
}

}  // namespace

Work WorkEstimate::of(std::span<const Step> steps) {
    if (steps.back().queue) return of(*steps.back().transfer);
    // Weights are loaded while the array works.
    Work loads, others;
    for (const Step& step : steps) {
        const Work work = of_instruction(step);
        Work& sum = step.instruction.opcode() == Opcode::LoadStationary ? loads : others;
        sum = {sum.busy + work.busy, sum.busy + work.latency};
    }
    return {std::max(loads.busy, others.busy), std::max(loads.latency, others.latency)};
}

Work WorkEstimate::of_instruction(const Step& step) {
    const cost::Context context{.stationary_parts = passes_.stationary_parts(), .arguments = step.words};
    if (step.engine == isa::Engine::Tensor) passes_.next(step.instruction);
    const cost::Cycles cycles = costs_.of(step.engine, step.instruction, context);
    return {cycles.occupies, cycles.completes};
}

Work WorkEstimate::of(const neff::Transfer& transfer) const {
    cost::Transfer shape;
    shape.engines = engines_of(transfer);
    if (!transfer.collective) {
        shape.reads = side_of(transfer.from, transfer.element_bytes, shape.engines);
        shape.writes = side_of(transfer.to, transfer.element_bytes, shape.engines);
    }
    if (transfer.indirect) shape.constants = elements_of(transfer.indirect->index);
    if (transfer.transposes) shape.transposed = elements_of(transfer.from);
    const cost::TransferTime time = costs_.of(shape);
    return {time_to_cycles(time.occupies, clock_), time_to_cycles(time.completes, clock_)};
}

unsigned WorkEstimate::engines_of(const neff::Transfer& transfer) const {
    const auto all = static_cast<unsigned>(dma_.engines);
    if (dma_.split == "even" || transfer.indirect || transfer.combination || transfer.transposes) return all;
    const std::int64_t stride = isa::sbuf_partition_stride(partitions_);
    for (const neff::Pattern* pattern : {&transfer.to, &transfer.from}) {
        if (pattern->place != neff::Pattern::Space::Core) continue;
        unsigned partitions = 1;
        for (std::size_t d = 0; d < pattern->count.size(); ++d) {
            if (std::abs(pattern->step[d]) >= stride) partitions *= pattern->count[d];
        }
        return std::clamp((partitions * all + partitions_ - 1) / partitions_, 1U, all);
    }
    return all;
}

std::uint64_t WorkEstimate::table_load() const {
    std::size_t bytes = 0;
    for (const isa::EnumValue& set : isa::activation_set_values()) {
        const auto named = static_cast<isa::ActivationSet>(set.value);
        if (activation::is_set(named)) bytes = std::max(bytes, activation::table_image(named).size());
    }
    isa::Instruction load(Opcode::ActTableLoad);
    load.set(isa::field::TableBeats, bytes / activation::BeatBytes);
    return costs_.of(isa::Engine::Scalar, load).completes;
}

}  // namespace trnsim::schedule
