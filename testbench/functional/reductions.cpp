// Reductions, the accumulator registers, scans.
#include "testbench/functional/alu.hpp"
#include "testbench/functional/vector_operations.hpp"

namespace trnsim::functional {

namespace field = isa::field;
using isa::ReduceCmd;

namespace {

// Returns one result for each position of the outer axes. Each result reduces elements.size() / results
// consecutive elements, in order.
template <typename Element, typename Operation>
std::vector<Element> reduced(const std::vector<Element>& elements, std::size_t results,
                             const Operation& operation) {
    const std::size_t each = elements.size() / results;
    std::vector<Element> all;
    for (std::size_t i = 0; i < elements.size(); ++i) {
        if (i % each == 0) {
            all.push_back(elements[i]);
        } else {
            all.back() = operation(all.back(), elements[i]);
        }
    }
    return all;
}

}  // namespace

void tensor_reduce(LaneExecution& work) {
    const bool raw = is_bit_operation(static_cast<isa::AluOp>(work.instruction.get(field::Op0)));
    const std::size_t results = work.dst.offsets.size();
    if (raw) {
        const BitStep step = bit_step_of(work.instruction, field::Op0, field::Reverse0);
        for (std::uint32_t row = 0; row < work.partitions; ++row)
            work.put_bits(row, reduced(work.bits(work.a, row), results, step));
        return;
    }
    const Step step = step_of(work.instruction, field::Op0, field::Reverse0);
    const bool negate = work.instruction.get(field::Negate) != 0;
    for (std::uint32_t row = 0; row < work.partitions; ++row) {
        Values values = reduced(work.values(work.a, row), results, step);
        for (float& value : values) value = negate ? -value : value;
        work.put(row, values);
    }
}

void tensor_scalar_reduce(LaneExecution& work) {
    const auto command = static_cast<ReduceCmd>(work.instruction.get(field::ReduceCmd));
    const Step step = step_of(work.instruction, field::Op0, field::Reverse0);
    const Step reduce = step_of(work.instruction, field::Op1, field::Reverse1);
    for (std::uint32_t row = 0; row < work.partitions; ++row) {
        const float imm0 = work.immediate(field::Imm0, field::Imm0Vector, row);
        float& accumulator = work.state.accumulators[row];
        if (command == ReduceCmd::Reset) accumulator = work.immediate(field::Imm1, field::Imm1Vector, row);
        Values values = work.values(work.a, row);
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = step(values[i], imm0);
            const bool anew = i == 0 && command == ReduceCmd::ResetReduce;
            accumulator = anew ? values[i] : reduce(accumulator, values[i]);
        }
        work.put(row, values);
    }
}

void tensor_tensor_scan(LaneExecution& work) {
    const Step first = step_of(work.instruction, field::Op0, field::Reverse0);
    const Step second = step_of(work.instruction, field::Op1, field::Reverse1);
    for (std::uint32_t row = 0; row < work.partitions; ++row) {
        float running = work.immediate(field::Imm0, field::Imm0Vector, row);
        Values values = work.values(work.a, row);
        const Values others = work.values(work.b, row);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = running = second(first(values[i], running), others[i]);
        work.put(row, values);
    }
}

void tensor_scalar_cumulative(LaneExecution& work) {
    const Step first = step_of(work.instruction, field::Op0, field::Reverse0);
    const Step second = step_of(work.instruction, field::Op1, field::Reverse1);
    for (std::uint32_t row = 0; row < work.partitions; ++row) {
        const float imm0 = work.immediate(field::Imm0, field::Imm0Vector, row);
        Values values = work.values(work.a, row);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const float value = first(values[i], imm0);
            values[i] = i == 0 ? value : second(values[i - 1], value);
        }
        work.put(row, values);
    }
}

void read_accumulator(LaneExecution& work) {
    for (std::uint32_t row = 0; row < work.partitions; ++row) work.put(row, {work.state.accumulators[row]});
}

}  // namespace trnsim::functional
