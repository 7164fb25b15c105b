#include "testbench/random_programs/tensor_generator.hpp"

#include <algorithm>

#include "arch/numerics/format.hpp"
#include "arch/target/dtype.hpp"
#include "arch/target/memory.hpp"
#include "testbench/random_programs/values.hpp"

namespace trnsim::random_programs {

namespace field = isa::field;
using isa::Instruction;
using isa::Opcode;

// Returns random counts, often one of the corners: 1, a few, everything.
Counts TensorGenerator::counts(unsigned most) {
    unsigned left = std::array{1u, 1 + pick(8), 1 + pick(most), most, most}[pick(5)];
    left = std::min(left, most);
    Counts count{1, 1, 1, 1};
    const unsigned dimensions = 1 + pick(4);
    for (unsigned d = 0; d < dimensions && left > 0; ++d) {
        count[d] = d + 1 == dimensions ? left : 1 + pick(left);
        left /= count[d];
    }
    return count;
}

const Area& TensorGenerator::any_area(bool psum) {
    for (;;) {
        const Area& area = areas_[pick(static_cast<unsigned>(areas_.size()))];
        if (area.psum == psum) return area;
    }
}

bool TensorGenerator::choose_pattern(const Counts& count, bool dense, const Area& area,
                                     RandomOperand& operand) {
    const auto bytes = static_cast<int>(numerics::storage_bytes(operand.dtype));
    const int most = (static_cast<int>(area.bytes) - bytes) / bytes;
    const bool wide = !dense && pick(3) == 0;
    int step = 1, low = 0, high = 0;
    for (std::size_t d = 0; d < count.size(); ++d) {
        const int turns = static_cast<int>(count[d]) - 1;
        if (turns == 0) {
            operand.step[d] = static_cast<std::int16_t>(random_());  // has no effect
            continue;
        }
        const int widest = std::clamp((most - (high - low)) / turns, 0, 32767);
        operand.step[d] = wide               ? static_cast<int>(pick(static_cast<unsigned>(widest) + 1))
                          : dense || pick(2) ? step
                                             : static_cast<int>(pick(9)) - 4;
        if (pick(4) == 0) operand.step[d] = -operand.step[d];
        step *= static_cast<int>(count[d]);
        (operand.step[d] < 0 ? low : high) += operand.step[d] * turns;
    }
    const int room = most - (high - low);
    if (room < 0) return false;
    const int place = std::array{0, room, static_cast<int>(pick(static_cast<unsigned>(room) + 1))}[pick(3)];
    operand.psum = area.psum;
    operand.offset = area.offset + static_cast<std::uint32_t>((place - low) * bytes);
    return true;
}

unsigned TensorGenerator::most_rows() const {
    return static_cast<unsigned>(target_.rows) / (state_.row_tile ? isa::array::RowGroups : 1);
}

Instruction TensorGenerator::placed(Instruction instruction, const Tile& tile) const {
    return instruction.set(field::RowTile, state_.row_tile)
        .set(field::ColumnTile, state_.column_tile)
        .set(field::ColumnGroup, tile.column_group);
}

Instruction TensorGenerator::load(const Tile& tile) {
    const auto columns =
        static_cast<unsigned>(target_.columns) / (state_.column_tile ? isa::array::ColumnGroups : 1);
    Tensors t;
    do {
        t.a.dtype = FloatDtypes[pick(FloatDtypes.size())];
        t.count = counts(columns);
    } while (!choose_pattern(t.count, false, any_area(false), t.a));
    const unsigned most = most_rows();
    t.partitions = std::min(std::array{1u, 1 + pick(16), 1 + pick(most), most}[pick(4)], most);
    t.a.partition = tile.row_group * most;
    loaded(tile) = {t.a.dtype, t.partitions, t.count[0] * t.count[1] * t.count[2] * t.count[3]};
    Instruction i(Opcode::LoadStationary);
    set_shape(i, t);
    set_a(i, t.a);
    return placed(i, tile).set(field::Onezero, pick(3) == 0);
}

Instruction TensorGenerator::multiply(const Tile& tile, const Sum* onto) {
    const auto lanes = static_cast<unsigned>(target_.partitions);
    const Loaded& stationary = loaded(tile);
    Tensors t;
    t.partitions = stationary.rows;
    if (onto != nullptr) {
        t.count = onto->count;
        t.dst = onto->dst;
    }
    t.a.partition = tile.row_group * most_rows();
    do {
        t.a.dtype = FloatDtypes[pick(FloatDtypes.size())];
        if (onto == nullptr) t.count = counts(target::bank_columns(target_));
    } while (!target::multiplies(stationary.dtype, t.a.dtype) ||
             !choose_pattern(t.count, false, any_area(false), t.a) ||
             (onto == nullptr && !choose_pattern(t.count, true, any_area(true), t.dst)));
    if (onto == nullptr) t.dst.partition = stationary.columns <= lanes / 4 ? pick(4) * (lanes / 4) : 0;
    sum_ = {t.count, t.dst};
    Instruction i(Opcode::MultiplyMoving);
    set_shape(i, t);
    set_dst(i, t.dst);
    set_a(i, t.a);
    return placed(i, tile)
        .set(field::Columns, stationary.columns)
        .set(field::Accumulate, onto != nullptr)
        .set(field::Onezero, pick(3) == 0);
}

std::vector<Instruction> TensorGenerator::instructions() {
    if (pick(8) == 0) state_ = {{}, pick(2) == 0, pick(2) == 0};
    const Tile tile{state_.row_tile ? pick(isa::array::RowGroups) : 0,
                    state_.column_tile ? pick(isa::array::ColumnGroups) : 0};
    std::vector<Instruction> all;
    if (loaded(tile).rows == 0 || pick(2) == 0) all.push_back(load(tile));
    all.push_back(multiply(tile, nullptr));
    while (pick(2) == 0) {
        const Sum onto = sum_;
        all.push_back(multiply(tile, &onto));
    }
    return all;
}

}  // namespace trnsim::random_programs
