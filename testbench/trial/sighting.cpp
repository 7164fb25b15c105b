#include "testbench/trial/sighting.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "arch/cost/cost.hpp"
#include "isa/core_window.hpp"
#include "isa/element_type.hpp"

namespace trnsim::trial {
namespace {

constexpr std::size_t Own = 0;  // the element among those that are watched; the other one is its twin

// Returns when the element is written if nothing holds the instruction up: elements follow each other up to
// the end.
std::uint64_t estimate(const Writer& writer, const isa::Instruction& instruction,
                       const config::Config& config, const WriteTime& time) {
    if (writer.elements == 0) return time.completion;
    const std::uint64_t occupies = cost::Costs(config).of(writer.step.engine, instruction).occupies;
    const std::uint64_t after = writer.elements - 1 - writer.index;
    return time.completion - std::min(occupies, time.completion - time.issue) * after / writer.elements;
}

}  // namespace

Sighting::Sighting(Writer writer) : writer_(std::move(writer)) {
    if (writer_.transfer || writer_.spot.place.space != neff::Pattern::Space::Core ||
        writer_.spot.place.byte >= isa::window::GpsimdTcmBase)
        return;
    const std::uint32_t bytes = isa::element_size(writer_.spot.dtype);
    std::vector<tlm::MemoryWatch::Element> elements{
        {static_cast<std::uint32_t>(writer_.spot.place.byte), bytes}};
    if (writer_.twin) elements.push_back({*writer_.twin, bytes});
    watch_.emplace(std::move(elements));
}

void Sighting::instruction(const tlm::trace::Instruction& instruction) {
    if (instruction.engine != static_cast<std::uint32_t>(writer_.step.engine)) return;
    if (completed_++ == writer_.number) event_ = instruction;
}

std::optional<WriteTime> Sighting::time(const config::Config& config, const neff::Package& package,
                                        runtime::Fidelity fidelity) const {
    if (!event_) return std::nullopt;
    WriteTime time{.issue = event_->issue_cycle,
                   .completion = event_->completion_cycle,
                   .cycle = event_->completion_cycle};
    if (writer_.transfer) return time;
    if (fidelity == runtime::Fidelity::Rtl && watch_) {
        for (const tlm::MemoryWatch::Change& change : watch_->changes()) {
            if (change.cycle < time.issue || change.cycle > time.completion) continue;
            if (change.element != Own && time.bits) continue;  // the element's own change counts
            time.cycle = change.cycle;
            time.seen = true;
            if (change.element == Own) time.bits = change.value;
        }
    }
    if (!time.seen) {
        const auto engine = static_cast<std::size_t>(writer_.step.engine);
        time.cycle = estimate(writer_, package.programs[engine][writer_.step.pc], config, time);
    }
    return time;
}

}  // namespace trnsim::trial
