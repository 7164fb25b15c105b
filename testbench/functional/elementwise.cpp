// Element-by-element instructions.
#include "arch/numerics/arithmetic.hpp"
#include "testbench/functional/alu.hpp"
#include "testbench/functional/vector_operations.hpp"

namespace trnsim::functional {

namespace field = isa::field;

namespace {

bool has_bit_operation(const LaneExecution& work) {
    return is_bit_operation(static_cast<isa::AluOp>(work.instruction.get(field::Op0))) ||
           is_bit_operation(static_cast<isa::AluOp>(work.instruction.get(field::Op1)));
}

void tensor_scalar_bits(LaneExecution& work) {
    const BitStep first = bit_step_of(work.instruction, field::Op0, field::Reverse0);
    const BitStep second = bit_step_of(work.instruction, field::Op1, field::Reverse1);
    for (std::uint32_t row = 0; row < work.partitions; ++row) {
        const std::uint32_t imm0 = work.immediate_bits(field::Imm0, field::Imm0Vector, row);
        const std::uint32_t imm1 = work.immediate_bits(field::Imm1, field::Imm1Vector, row);
        Bits bits = work.bits(work.a, row);
        for (std::uint32_t& x : bits) x = second(first(x, imm0), imm1);
        work.put_bits(row, bits);
    }
}

void tensor_tensor_bits(LaneExecution& work) {
    const BitStep step = bit_step_of(work.instruction, field::Op0, field::Reverse0);
    for (std::uint32_t row = 0; row < work.partitions; ++row) {
        Bits bits = work.bits(work.a, row);
        const Bits others = work.bits(work.b, row);
        for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = step(bits[i], others[i]);
        work.put_bits(row, bits);
    }
}

}  // namespace

void tensor_copy(LaneExecution& work) {
    for (std::uint32_t row = 0; row < work.partitions; ++row) {
        if (work.a.dtype == work.dst.dtype) {
            work.put_bits(row, work.bits(work.a, row));
        } else {
            work.put(row, work.values(work.a, row));
        }
    }
}

void memset(LaneExecution& work) {
    for (std::uint32_t row = 0; row < work.partitions; ++row) {
        const float value = work.immediate(field::Imm0, field::Imm0Vector, row);
        work.put(row, Values(work.dst.offsets.size(), value));
    }
}

void tensor_tensor(LaneExecution& work) {
    if (has_bit_operation(work)) return tensor_tensor_bits(work);
    const Step step = step_of(work.instruction, field::Op0, field::Reverse0);
    for (std::uint32_t row = 0; row < work.partitions; ++row) {
        Values values = work.values(work.a, row);
        const Values others = work.values(work.b, row);
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = step(values[i], others[i]);
        work.put(row, values);
    }
}

void tensor_scalar(LaneExecution& work) {
    if (has_bit_operation(work)) return tensor_scalar_bits(work);
    const Step first = step_of(work.instruction, field::Op0, field::Reverse0);
    const Step second = step_of(work.instruction, field::Op1, field::Reverse1);
    for (std::uint32_t row = 0; row < work.partitions; ++row) {
        const float imm0 = work.immediate(field::Imm0, field::Imm0Vector, row);
        const float imm1 = work.immediate(field::Imm1, field::Imm1Vector, row);
        Values values = work.values(work.a, row);
        for (float& x : values) x = second(first(x, imm0), imm1);
        work.put(row, values);
    }
}

void scalar_tensor_tensor(LaneExecution& work) {
    const Step first = step_of(work.instruction, field::Op0, field::Reverse0);
    const Step second = step_of(work.instruction, field::Op1, field::Reverse1);
    for (std::uint32_t row = 0; row < work.partitions; ++row) {
        const float imm0 = work.immediate(field::Imm0, field::Imm0Vector, row);
        Values values = work.values(work.a, row);
        const Values others = work.values(work.b, row);
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = second(first(values[i], imm0), others[i]);
        work.put(row, values);
    }
}

void reciprocal(LaneExecution& work) {
    for (std::uint32_t row = 0; row < work.partitions; ++row) {
        Values values = work.values(work.a, row);
        for (float& x : values) x = numerics::reciprocal(x);
        work.put(row, values);
    }
}

}  // namespace trnsim::functional
