#include "tools/regress/recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "compiler/neff/ring_order.hpp"
#include "compiler/neff/sizes.hpp"
#include "isa/element_type.hpp"

namespace trnsim::regress {
namespace {

constexpr std::size_t ShownInstructions = 4;  // for each engine

// Marks each byte of a tensor that is wrong.
std::vector<bool> wrong_bytes(const neff::Tensor& tensor, const trial::Difference& difference) {
    const std::size_t width = isa::element_size(tensor.dtype);
    std::vector<bool> wrong(neff::tensor_bytes(tensor));
    for (const std::size_t element : difference.elements)
        std::fill_n(wrong.begin() + static_cast<std::ptrdiff_t>(element * width), width, true);
    return wrong;
}

// Returns whether a pattern of elements of `bytes` bytes has a marked byte.
bool touches(const neff::Pattern& pattern, std::uint32_t bytes, const std::vector<bool>& marked) {
    std::array<std::uint32_t, 4> at{};
    for (;;) {
        auto begin = static_cast<std::int64_t>(pattern.offset);
        for (std::size_t dim = 0; dim < at.size(); ++dim) begin += pattern.step[dim] * at[dim];
        for (std::uint32_t i = 0; i < bytes; ++i) {
            if (marked.at(static_cast<std::size_t>(begin) + i)) return true;
        }
        std::size_t dim = 0;
        while (dim < at.size() && ++at[dim] == pattern.count[dim]) at[dim++] = 0;
        if (dim == at.size()) return false;
    }
}

}  // namespace

void Recorder::instruction(const tlm::trace::Instruction& instruction) {
    if (stopped_) return;
    observer_.instruction(instruction);
    events_.instruction(instruction);
    last_cycle_ = std::max(last_cycle_, instruction.completion_cycle);
}

std::array<std::vector<tlm::trace::Instruction>, neff::EngineCount> Recorder::by_engine() const {
    std::array<std::vector<tlm::trace::Instruction>, neff::EngineCount> engines;
    for (const tlm::trace::Instruction& event : events_.all()) engines.at(event.engine).push_back(event);
    return engines;
}

std::optional<Recorder::Culprit> Recorder::first_wrong(
    const std::vector<trial::Difference>& differences) const {
    std::map<std::size_t, std::vector<bool>> wrong;  // by tensor
    for (const trial::Difference& difference : differences)
        wrong.emplace(difference.tensor, wrong_bytes(package_.tensors[difference.tensor], difference));
    const std::vector<neff::RingOrder> orders = neff::ring_orders(package_);
    std::vector<std::uint64_t> triggers(package_.queues.size());
    for (const tlm::trace::Instruction& event : events_.all()) {
        const auto& program = package_.programs.at(event.engine);
        if (event.pc >= program.size() || program[event.pc].opcode() != isa::Opcode::DmaTrigger) continue;
        const std::uint64_t id = program[event.pc].get(isa::field::Address);
        const std::uint32_t queue = package_.transfers.at(id).queue;
        const std::uint32_t iteration = orders[queue].at(triggers[queue]++).iteration;
        const neff::Transfer transfer = neff::at_iteration(package_.transfers[id], iteration);
        if (transfer.to.place != neff::Pattern::Space::Tensor) continue;
        const auto found = wrong.find(transfer.to.tensor);
        if (found != wrong.end() && touches(transfer.to, transfer.element_bytes, found->second))
            return Culprit{id, iteration, event.completion_cycle};
    }
    return std::nullopt;
}

std::string Recorder::around(std::uint64_t cycle) const {
    std::string text;
    for (std::uint32_t engine = 0; engine < package_.programs.size(); ++engine) {
        std::vector<const tlm::trace::Instruction*> shown;
        for (const tlm::trace::Instruction& event : events_.all()) {
            if (event.engine == engine && event.issue_cycle <= cycle) shown.push_back(&event);
        }
        if (shown.size() > ShownInstructions)
            shown.erase(shown.begin(), shown.end() - static_cast<std::ptrdiff_t>(ShownInstructions));
        for (const tlm::trace::Instruction* event : shown) {
            text += fmt::format("  {:<7} {:>6}  cycles {} to {}  {}\n",
                                isa::name_of(static_cast<isa::Engine>(engine)), event->pc, event->issue_cycle,
                                event->completion_cycle, runtime::describe(package_, engine, event->pc));
        }
    }
    return text;
}

}  // namespace trnsim::regress
