#include <array>

#include "compiler/hlo/evaluate/context.hpp"
#include "compiler/hlo/evaluate/kernels.hpp"

namespace trnsim::hlo::evaluate {
namespace {

Value elementwise(const Operation& o) {
    const auto count = static_cast<std::size_t>(elements(o.shape()));
    std::array<const Cell*, 3> operands{};
    std::array<bool, 3> scalar{};
    std::array<ElementType, 3> types{};
    for (std::size_t i = 0; i < o.operands.size(); ++i) {
        operands[i] = o.operand(i).cells->data();
        // A condition or a bound may be one for all elements.
        scalar[i] = o.operand(i).dimensions.empty() && !o.shape().dimensions.empty();
        types[i] = o.operand(i).type;
    }
    o.work(count);
    auto cells = o.allocate(count);
    compute(o.instruction, types, operands.data(), scalar.data(), cells->data(), count);
    return array_of(o.shape().type, o.shape().dimensions, std::move(cells));
}

}  // namespace

Evaluate elementwise_evaluation(Opcode opcode) {
    return is_elementwise(opcode) ? elementwise : nullptr;
}

}  // namespace trnsim::hlo::evaluate
