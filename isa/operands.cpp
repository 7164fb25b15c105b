#include "isa/operands.hpp"

#include <algorithm>

namespace trnsim::isa {

ImmediateDtype vector_type(InstructionView bytes, const ImmediateInfo& immediate) {
    return immediate.dtype == nullptr ? ImmediateDtype::Fp32
                                      : get_as<ImmediateDtype>(bytes, *immediate.dtype);
}

Counts counts_of(InstructionView bytes, const OperandInfo& operand) {
    if (operand.elements != 0) return {operand.elements, 1, 1, 1};
    Counts counts = shape_of(bytes);
    if (operand.reduced != nullptr)
        std::fill_n(counts.begin(), std::min<std::uint64_t>(get(bytes, *operand.reduced), Dimensions), 1);
    return counts;
}

std::uint64_t elements_up_to(const Counts& counts, std::uint64_t limit) {
    std::uint64_t product = 1;
    for (const std::uint32_t count : counts) product = std::min(product * count, limit);
    return product;
}

}  // namespace trnsim::isa
