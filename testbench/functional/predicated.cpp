// Instructions that choose elements by a predicate.
#include "arch/numerics/arithmetic.hpp"
#include "arch/numerics/format.hpp"
#include "testbench/functional/vector_operations.hpp"

namespace trnsim::functional {

namespace field = isa::field;
using isa::ReduceCmd;

void tensor_copy_predicated(LaneExecution& work) {
    const bool immediate = work.instruction.get(field::BImmediate) != 0;
    const bool inverted = work.instruction.get(field::Reverse0) != 0;
    for (std::uint32_t row = 0; row < work.partitions; ++row) {
        const Bits predicate = work.bits(work.a, row);
        Bits source;
        if (immediate) {
            const float value = work.immediate(field::Imm0, field::Imm0Vector, row);
            source.assign(predicate.size(), numerics::from_fp32(value, work.dst.dtype));
        } else {
            source = work.bits(work.b, row);
        }
        for (std::size_t i = 0; i < source.size(); ++i) {
            if ((predicate[i] != 0) != inverted) work.put_element(row, i, source[i]);
        }
    }
}

void select_reduce(LaneExecution& work) {
    const auto command = static_cast<ReduceCmd>(work.instruction.get(field::ReduceCmd));
    const bool inverted = work.instruction.get(field::Reverse0) != 0;
    for (std::uint32_t row = 0; row < work.partitions; ++row) {
        const float other = work.immediate(field::Imm0, field::Imm0Vector, row);
        const Bits predicate = work.bits(work.b, row);
        Values values = work.values(work.a, row);
        float& accumulator = work.state.accumulators[row];
        for (std::size_t i = 0; i < values.size(); ++i) {
            if ((predicate[i] != 0) == inverted) values[i] = other;
            const bool anew = i == 0 && command == ReduceCmd::ResetReduce;
            if (command != ReduceCmd::Idle)
                accumulator = anew ? values[i] : numerics::maximum(accumulator, values[i]);
        }
        work.put(row, values);
    }
}

}  // namespace trnsim::functional
