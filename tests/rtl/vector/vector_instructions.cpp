#include "tests/rtl/vector/vector_instructions.hpp"

namespace trnsim::test {
namespace {

namespace field = isa::field;

// memset writes words of two elements if it clears all of a 16-bit float pattern word by word and no element
// takes a draw.
bool clears_words(const isa::Instruction& i, bool core_stochastic) {
    const auto rounding = static_cast<isa::Rounding>(i.get(field::Rounding));
    if (rounding == isa::Rounding::Stochastic || (rounding == isa::Rounding::Core && core_stochastic))
        return false;
    const auto dtype = static_cast<isa::Dtype>(i.get(field::DstDtype));
    const bool cleared = (dtype == isa::Dtype::Bf16 || dtype == isa::Dtype::Fp16) &&
                         i.get(field::Imm0) == 0 && i.get(field::Imm0Vector) == 0;
    const auto even = [&](const isa::Field& count, const isa::Field& step) {
        return i.get(count) == 1 || i.get_signed(step) % 2 == 0;
    };
    return cleared && i.get(field::Count0) % 2 == 0 && i.get_signed(field::DstStep0) == 1 &&
           i.get(field::DstAddr) % 4 == 0 && even(field::Count1, field::DstStep1) &&
           even(field::Count2, field::DstStep2) && even(field::Count3, field::DstStep3);
}

}  // namespace

std::uint64_t result_rows(const isa::Instruction& i, bool core_stochastic) {
    if (!i.info()->uses_dst) return 0;
    if (const auto elements = i.info()->dst_elements) return elements;
    const std::array counts{i.get(field::Count0), i.get(field::Count1), i.get(field::Count2),
                            i.get(field::Count3)};
    const bool reduces = i.opcode() == isa::Opcode::TensorReduce;
    std::uint64_t rows = 1;
    for (std::size_t k = reduces ? i.get(field::ReduceAxes) : 0; k < counts.size(); ++k) rows *= counts[k];
    const std::uint64_t partitions = i.get(field::Partitions);
    if (i.opcode() == isa::Opcode::TransposeBlock && rows <= Quadrant && partitions <= Quadrant)
        return partitions;
    return i.opcode() == isa::Opcode::Memset && clears_words(i, core_stochastic) ? rows / 2 : rows;
}

}  // namespace trnsim::test
