#include "model/values/lanes.hpp"

#include <algorithm>
#include <cstring>

#include "arch/numerics/format.hpp"

namespace trnsim::fast {

void LaneGenerators::seed(std::uint32_t seed) {
    groups_.assign((lanes_ + kernels::Lanes - 1) / kernels::Lanes, {});
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
        const numerics::Xorwow generator(stream_, static_cast<std::uint16_t>(lane), seed);
        auto& state = groups_[lane / kernels::Lanes].state;
        for (std::size_t word = 0; word < generator.words().size(); ++word)
            state[word][lane % kernels::Lanes] = generator.words()[word];
        state[generator.words().size()][lane % kernels::Lanes] = generator.counter();
    }
}

void LaneGenerators::draw(std::size_t first, std::size_t rows, std::uint32_t* draws, std::size_t count) {
    kernels::Generators& group = groups_[first / kernels::Lanes];
    const kernels::Generators before = group;
    kernels::draw(group, draws, count);
    for (std::size_t word = 0; word < std::size(group.state); ++word)
        std::copy(before.state[word] + rows, std::end(before.state[word]), group.state[word] + rows);
}

LaneRun::LaneRun(const Operation& operation, Memories& memories, LaneState& state, bool stochastic)
    : operation(operation), memories(memories), state(state) {
    const bool chosen = operation.rounding == isa::Rounding::Stochastic ||
                        (operation.rounding == isa::Rounding::Core && stochastic);
    stochastic_ = chosen && operation.has_dst && numerics::rounds_stochastically(operation.dst.dtype);
    restart_streams();
    read_immediate(0, operation.imm0);
    read_immediate(1, operation.imm1);
}

void LaneRun::restart_streams() {
    if (operation.has_dst) dst.emplace(operation.dst, memories);
    if (operation.has_a) a.emplace(operation.a, memories);
    if (operation.has_b) b.emplace(operation.b, memories);
}

void LaneRun::read_immediate(std::size_t index, const Immediate& immediate) {
    for (std::uint32_t row = 0; row < operation.partitions; ++row) {
        std::uint32_t bits = immediate.word;
        if (immediate.vector) {
            bits = 0;
            std::memcpy(&bits, memories.byte(immediate.column.row(row)), immediate.column.size);
        } else if (row > 0) {
            bits_[index][row] = bits_[index][0];
            values_[index][row] = values_[index][0];
            continue;
        }
        bits_[index][row] = bits;
        values_[index][row] = numerics::to_fp32(bits, immediate.column.dtype);
    }
}

void LaneRun::prepare_draws(std::uint32_t first, std::uint32_t rows, std::size_t count) {
    if (stochastic_) state.rounding.draw(first, rows, draws_.data(), count);
}

}  // namespace trnsim::fast
