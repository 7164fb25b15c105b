#include "testbench/functional/tensor_engine.hpp"

#include <cmath>

#include "arch/numerics/arithmetic.hpp"
#include "arch/numerics/format.hpp"

namespace trnsim::functional {

namespace field = isa::field;

namespace {

bool has_low_parts(const isa::Instruction& instruction) {
    return static_cast<isa::Dtype>(instruction.get(field::ADtype)) == isa::Dtype::Fp32 &&
           instruction.get(field::Onezero) == 0;
}

}  // namespace

TensorEngine::Tiling TensorEngine::tiling_of(const isa::Instruction& instruction) {
    return {instruction.get(field::RowTile) != 0, instruction.get(field::ColumnTile) != 0};
}

std::size_t TensorEngine::tile_of(const isa::Instruction& instruction) const {
    const Tiling tiling = tiling_of(instruction);
    const auto address = static_cast<std::uint32_t>(instruction.get(field::AAddr));
    const std::uint32_t partition = functional::locate(target_, address).partition;
    const std::uint32_t group_rows = static_cast<std::uint32_t>(target_.rows) / isa::array::RowGroups;
    const auto column_group = static_cast<std::uint32_t>(instruction.get(field::ColumnGroup));
    return column_group * isa::array::RowGroups + (tiling.rows ? partition / group_rows : 0);
}

std::optional<TensorEngine::Loaded> TensorEngine::loaded_for(const isa::Instruction& instruction) const {
    const Stationary& stationary = stationary_.at(tile_of(instruction));
    if (stationary.bits.empty() || tiling_ != tiling_of(instruction)) return std::nullopt;
    return Loaded{static_cast<std::uint32_t>(stationary.bits.size()),
                  static_cast<std::uint32_t>(stationary.bits.front().size()), stationary.dtype};
}

void TensorEngine::load_stationary(const isa::Instruction& instruction, const CoreMemory& memory) {
    const auto rows = static_cast<std::uint32_t>(instruction.get(field::Partitions));
    const Operand a = operand_of(instruction, target_, Role::A, rows);
    const Tiling tiling = tiling_of(instruction);
    if (tiling != tiling_) stationary_ = {};
    tiling_ = tiling;
    Stationary& stationary = stationary_.at(tile_of(instruction));
    stationary.dtype = a.dtype;
    stationary.low = has_low_parts(instruction);
    stationary.bits.clear();
    for (std::uint32_t row = 0; row < rows; ++row)
        stationary.bits.push_back(read_partition(memory, target_, a, row));
}

float TensorEngine::part_of(float value, Part part) {
    if (part == Part::FiniteHigh && !std::isfinite(value)) return 0.0f;
    // Only an fp32 value has more than 12 significant bits and therefore a low part.
    const numerics::SplitFp32 parts = numerics::split_fp32(value);
    return part == Part::Low ? parts.low : parts.high;
}

TensorEngine::Rows TensorEngine::pass_values(const std::vector<std::vector<std::uint32_t>>& bits,
                                             isa::Dtype dtype, Part part) {
    Rows rows;
    for (const auto& row : bits) {
        auto& values = rows.emplace_back();
        values.reserve(row.size());
        for (const std::uint32_t element : row) {
            values.push_back(part_of(numerics::to_fp32(element, dtype), part));
        }
    }
    return rows;
}

void TensorEngine::run_pass(const Rows& stationary, const Rows& moving, const Operand& dst, bool accumulate,
                            CoreMemory& memory) const {
    const std::size_t samples = moving.front().size();
    std::vector<float> chain(samples);
    std::vector<float> weight(samples);
    for (std::uint32_t column = 0; column < dst.partitions; ++column) {
        std::fill(chain.begin(), chain.end(), 0.0f);
        for (std::size_t row = 0; row < moving.size(); ++row) {
            std::fill(weight.begin(), weight.end(), stationary[row][column]);
            numerics::fma_steps(weight, moving[row], chain);
        }
        for (std::size_t i = 0; i < samples; ++i) {  // a word may come again: it then holds the sum so far
            const std::uint32_t word = element_address(target_, dst, column, i);
            const float sum =
                accumulate ? numerics::add(numerics::float_of(memory.read_sum(word)), chain[i]) : chain[i];
            memory.write_sum(word, numerics::bits_of(sum));
        }
    }
}

void TensorEngine::multiply_moving(const isa::Instruction& instruction, CoreMemory& memory) const {
    const auto rows = static_cast<std::uint32_t>(instruction.get(field::Partitions));
    const Operand moving = operand_of(instruction, target_, Role::A, rows);
    const Operand dst = operand_of(instruction, target_, Role::Dst,
                                   static_cast<std::uint32_t>(instruction.get(field::Columns)));
    const Stationary& stationary = stationary_.at(tile_of(instruction));
    std::vector<std::vector<std::uint32_t>> bits;
    for (std::uint32_t row = 0; row < rows; ++row)
        bits.push_back(read_partition(memory, target_, moving, row));

    bool accumulate = instruction.get(field::Accumulate) != 0;
    const bool low = has_low_parts(instruction);
    constexpr Part Passes[][2] = {{Part::Low, Part::Low},
                                  {Part::Low, Part::FiniteHigh},
                                  {Part::FiniteHigh, Part::Low},
                                  {Part::High, Part::High}};
    for (const auto& [of_stationary, of_moving] : Passes) {
        if ((of_stationary == Part::Low && !stationary.low) || (of_moving == Part::Low && !low)) continue;
        run_pass(pass_values(stationary.bits, stationary.dtype, of_stationary),
                 pass_values(bits, moving.dtype, of_moving), dst, accumulate, memory);
        accumulate = true;
    }
}

}  // namespace trnsim::functional
