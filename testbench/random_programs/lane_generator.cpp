#include "testbench/random_programs/lane_generator.hpp"

#include <algorithm>

#include "arch/numerics/format.hpp"
#include "arch/target/memory.hpp"
#include "compiler/builder/overlap.hpp"
#include "testbench/random_programs/values.hpp"

namespace trnsim::random_programs {

using isa::Dtype;

namespace {

unsigned elements_of(const Counts& count) {
    return count[0] * count[1] * count[2] * count[3];
}

Dtype same_width(Dtype dtype, unsigned other) {
    const std::array<std::array<Dtype, 2>, 3> pairs{
        {{Dtype::I8, Dtype::U8}, {Dtype::I16, Dtype::U16}, {Dtype::I32, Dtype::U32}}};
    return pairs[numerics::storage_bytes(dtype) / 2][other];
}

builder::ElementPattern pattern_of(const RandomOperand& operand, const Counts& count) {
    builder::ElementPattern pattern{operand.psum ? target::Memory::Psum : target::Memory::Sbuf,
                                    operand.partition,
                                    operand.offset,
                                    static_cast<std::uint32_t>(numerics::storage_bytes(operand.dtype)),
                                    {}};
    for (std::size_t k = 0; k < count.size(); ++k) pattern.axes[k] = {count[k], operand.step[k]};
    return pattern;
}

// Returns the destination with its elements from the last to the first.
RandomOperand backwards(const Tensors& t) {
    RandomOperand operand = t.dst;
    int offset = static_cast<int>(operand.offset);
    for (int k = 0; k < 4; ++k) {
        if (t.count[k] == 1) continue;
        offset += operand.step[k] * static_cast<int>(t.count[k] - 1) * numerics::storage_bytes(operand.dtype);
        operand.step[k] = -operand.step[k];
    }
    operand.offset = static_cast<std::uint32_t>(offset);
    return operand;
}

}  // namespace

const Area& LaneGenerator::any_buffer(bool sbuf_only) {
    for (;;) {
        const Area& buffer = geometry_.buffers[pick(static_cast<unsigned>(geometry_.buffers.size()))];
        if (!sbuf_only || !buffer.psum) return buffer;
    }
}

bool LaneGenerator::within_a_buffer(const RandomOperand& operand, const Counts& count) const {
    const auto bytes = static_cast<int>(numerics::storage_bytes(operand.dtype));
    int low = static_cast<int>(operand.offset), high = low + bytes;
    for (std::size_t k = 0; k < count.size(); ++k) {
        const int reach = operand.step[k] * static_cast<int>(count[k] - 1) * bytes;
        (reach < 0 ? low : high) += reach;
    }
    return std::ranges::any_of(geometry_.buffers, [&](const Area& buffer) {
        const int first = static_cast<int>(buffer.offset);
        return buffer.psum == operand.psum && low >= first && high <= first + static_cast<int>(buffer.bytes);
    });
}

std::uint32_t LaneGenerator::word() {
    return random_word(random_);
}

Operation LaneGenerator::operation() {
    return {any(AllOps), pick(2) == 1};
}

Immediate LaneGenerator::immediate(const Tensors& t, std::span<const Dtype> types) {
    if (pick(2)) return {word()};
    const Area& buffer = any_buffer(true);
    const Dtype dtype = any(types);
    const auto bytes = static_cast<std::uint32_t>(numerics::storage_bytes(dtype));
    return {(start_partition(t.partitions) << 18) + buffer.offset + bytes * pick(buffer.bytes / bytes), true,
            dtype};
}

Counts LaneGenerator::counts() {
    Counts count{1 + pick(std::array{1u, 4u, 12u, 100u}[pick(4)]), 1, 1, 1};
    for (int k = 1; k < 4; ++k) {
        if (pick(3) == 0) count[k] = 1 + pick(5);
    }
    return count;
}

unsigned LaneGenerator::start_partition(unsigned partitions) {
    const unsigned quadrant = geometry_.quadrant();
    if (partitions > 2 * quadrant) return 0;
    return partitions > quadrant ? pick(2) * 2 * quadrant : pick(4) * quadrant;
}

bool LaneGenerator::choose_pattern(unsigned partitions, const Counts& count, RandomOperand& operand) {
    const Area& buffer = any_buffer(false);
    operand.psum = buffer.psum;
    operand.partition = start_partition(partitions);
    const auto bytes = numerics::storage_bytes(operand.dtype);
    const unsigned kind = pick(6);  // dense, a few elements apart, as far apart as there is room for
    int dense_step = 1;
    int low = 0, high = 0;
    const int most = (static_cast<int>(buffer.bytes) - bytes) / bytes;
    for (int k = 0; k < 4; ++k) {
        const int turns = static_cast<int>(count[k]) - 1;
        const int widest = turns == 0 ? 0 : std::clamp((most - (high - low)) / turns, 0, 32767);
        operand.step[k] = kind < 3 ? dense_step
                          : kind == 5
                              ? static_cast<int>(pick(static_cast<unsigned>(widest) + 1)) * (pick(2) ? 1 : -1)
                              : static_cast<int>(pick(41)) - 20;
        if (turns == 0 && pick(2)) operand.step[k] = static_cast<std::int16_t>(random_());
        dense_step *= static_cast<int>(count[k]);
        const int reach = operand.step[k] * turns;
        (reach < 0 ? low : high) += reach;
    }
    const int room = most - (high - low);
    if (room < 0) return false;
    const std::array<int, 4> places{0, room, static_cast<int>(pick(static_cast<unsigned>(room) + 1)),
                                    static_cast<int>(pick(static_cast<unsigned>(room) + 1))};
    operand.offset = buffer.offset + static_cast<std::uint32_t>((any(places) - low) * bytes);
    return true;
}

bool LaneGenerator::choose_destination(const Kind& kind, Tensors& t, const Counts& count,
                                       unsigned partitions) {
    const RandomOperand& source = kind.reads_b && kind.b_elements == 0 && pick(2) ? t.b : t.a;
    const auto bytes = static_cast<std::uint32_t>(numerics::storage_bytes(t.dst.dtype));
    if (count == t.count && partitions == t.partitions && kind.reads_a && pick(3) == 0 &&
        numerics::storage_bytes(source.dtype) == numerics::storage_bytes(t.dst.dtype)) {
        const Dtype dtype = t.dst.dtype;
        t.dst = source;
        t.dst.dtype = dtype;
        if (pick(2)) t.dst.offset += pick(2) ? bytes * (1 + pick(20)) : -bytes * (1 + pick(20));
        if (!within_a_buffer(t.dst, count)) return false;
    } else if (!choose_pattern(partitions, count, t.dst)) {
        return false;
    }
    const auto defined = [&](const RandomOperand& from, const Counts& elements) {
        return !builder::overlap_is_undefined(pattern_of(t.dst, count), pattern_of(from, elements));
    };
    return (!kind.reads_a || defined(t.a, t.count)) &&
           (!kind.reads_b || defined(t.b, kind.b_elements ? Counts{kind.b_elements, 1, 1, 1} : t.count));
}

bool LaneGenerator::choose_shape(const Kind& kind, Tensors& t, bool follows) {
    const unsigned lanes = geometry_.lanes, quadrant = geometry_.quadrant();
    t.partitions = follows ? last_->partitions : pick(3) ? 1 + pick(lanes) : lanes;
    t.count = follows ? last_->count : counts();
    if (kind.most == 1) t.count = {1, 1, 1, 1};
    if (kind.whole_quadrants) t.partitions = quadrant * (1 + pick(4));
    if (kind.blocks && pick(2)) {
        t.partitions = quadrant * (1 + pick(4));
        t.count = {quadrant * (1 + pick(2)), 1 + pick(2), 1, 1};
    } else if (kind.blocks) {
        t.partitions = 1 + pick(quadrant);
        t.count = {1 + pick(std::min(quadrant, 4U)), 1 + pick(std::max(quadrant / 4, 1U)), 1, 1};
    } else if (!follows) {
        t.count[0] = (t.count[0] + kind.multiple - 1) / kind.multiple * kind.multiple;
    }
    const unsigned elements = elements_of(t.count);
    return elements >= kind.least && elements <= kind.most && t.count[0] % kind.multiple == 0;
}

void LaneGenerator::choose_types(Types types, Tensors& t) {
    t.a.dtype = any(AllDtypes);
    t.b.dtype = any(AllDtypes);
    t.dst.dtype = any(AllDtypes);
    switch (types) {
        case Types::Any:
            break;
        case Types::Bits:
            t.a.dtype = any(Integers);
            t.b.dtype = same_width(t.a.dtype, pick(2));
            t.dst.dtype = same_width(t.a.dtype, pick(2));
            break;
        case Types::Predicate:
            t.a.dtype = any(Integers);
            t.b.dtype = t.dst.dtype;
            break;
        case Types::SelectingB:
            t.b.dtype = any(Integers);
            break;
        case Types::Pairs:
            t.a.dtype = t.b.dtype = t.dst.dtype = Dtype::Bf16;
            break;
        case Types::Same:
            t.a.dtype = t.dst.dtype;
            break;
        case Types::Random:
            t.dst.dtype = any(Integers);
            break;
        case Types::Indices:
            t.dst.dtype = pick(2) ? Dtype::U16 : Dtype::U32;
            break;
    }
}

bool LaneGenerator::choose_operands(const Kind& kind, Tensors& t) {
    const bool follows = last_ && pick(4) == 0;
    if (!choose_shape(kind, t, follows)) return false;
    choose_types(kind.types, t);
    if (!choose_pattern(t.partitions, t.count, t.a) ||
        !choose_pattern(t.partitions, kind.b_elements ? Counts{kind.b_elements, 1, 1, 1} : t.count, t.b))
        return false;
    if (follows && kind.types == Types::Any && kind.most != 1)
        (kind.reads_b && kind.b_elements == 0 && pick(2) ? t.b : t.a) = backwards(*last_);
    if (kind.reads_b && t.a.psum && t.b.psum) return false;

    axes_ = 1 + pick(4);
    Counts result = t.count;
    if (kind.result == Result::Reduced) std::fill_n(result.begin(), axes_, 1);
    if (kind.result == Result::Fixed) result = {kind.fixed, 1, 1, 1};
    unsigned result_partitions = t.partitions;
    const unsigned elements = elements_of(t.count), quadrant = geometry_.quadrant();
    if (kind.result == Result::Turned && (t.partitions % quadrant != 0 || elements % quadrant != 0)) {
        result = {t.partitions, 1, 1, 1};
        result_partitions = elements;
    }
    if (!choose_destination(kind, t, result, result_partitions)) return false;
    last_ = t;
    last_->count = result;
    last_->partitions = result_partitions;
    return true;
}

isa::Instruction LaneGenerator::instruction() {
    for (;;) {
        const Kind kind = any(kinds_);
        Tensors t;
        if (!choose_operands(kind, t)) continue;
        isa::Instruction instruction = kind.make(*this, t);
        if (instruction.info()->uses_dst)
            instruction.set(isa::field::Rounding, any(std::array{isa::Rounding::Core, isa::Rounding::Nearest,
                                                                 isa::Rounding::Stochastic}));
        return instruction;
    }
}

}  // namespace trnsim::random_programs
