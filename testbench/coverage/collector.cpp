#include "testbench/coverage/collector.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace trnsim::coverage {
namespace {

// Returns nothing when a value is in no bin of its point.
std::optional<std::size_t> combination_of(const Group& group, const Executed& executed) {
    std::size_t index = 0;
    for (const Point& point : group.cross) {
        const auto value = point.measure->of(executed);
        if (!value) return std::nullopt;
        const auto bin = std::ranges::find_if(
            point.bins, [&value](const Bin& one) { return one.least <= *value && *value <= one.most; });
        if (bin == point.bins.end()) return std::nullopt;
        index = index * point.bins.size() + static_cast<std::size_t>(bin - point.bins.begin());
    }
    return index;
}

}  // namespace

Collector::Collector(const Plan& plan, const target::Core& target, bool stochastic)
    : plan_(plan), target_(target), stochastic_(stochastic), hits_(plan.combinations) {}

template <typename Visit>
void Collector::visit(isa::Engine engine, const isa::Instruction& instruction, const Visit& visit) const {
    const Executed executed{instruction, engine, target_, stochastic_, arguments_};
    for (const Group& group : plan_.groups) {
        if (!group.opcode[static_cast<std::size_t>(instruction.opcode())]) continue;
        if ((group.engines >> static_cast<unsigned>(engine) & 1U) == 0) continue;
        const auto index = combination_of(group, executed);
        if (index && group.wanted[*index]) visit(group.first + *index);
    }
}

void Collector::keep(const isa::Instruction& instruction) {
    namespace field = isa::field;
    constexpr std::array Words{&field::W0, &field::W1, &field::W2, &field::W3, &field::W4,  &field::W5,
                               &field::W6, &field::W7, &field::W8, &field::W9, &field::W10, &field::W11};
    if (instruction.opcode() != isa::Opcode::GpsimdArguments) return;
    const std::uint64_t first = instruction.get(field::FirstWord), words = instruction.get(field::Words);
    for (std::size_t i = 0; i < std::min<std::uint64_t>(words, Words.size()); ++i) {
        if (first + i < arguments_.size())
            arguments_[first + i] = static_cast<std::uint32_t>(instruction.get(*Words[i]));
    }
}

void Collector::operator()(isa::Engine engine, const isa::Instruction& instruction) {
    keep(instruction);
    visit(engine, instruction, [this](std::size_t bin) { ++hits_[bin]; });
}

bool Collector::adds(isa::Engine engine, const isa::Instruction& instruction) {
    keep(instruction);
    bool first = false;
    visit(engine, instruction, [&](std::size_t bin) { first = first || hits_[bin] == 0; });
    if (first) (*this)(engine, instruction);
    return first;
}

}  // namespace trnsim::coverage
