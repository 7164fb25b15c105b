#include "testbench/functional/vector_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "testbench/functional/error.hpp"
#include "testbench/numerics/arithmetic.hpp"
#include "testbench/numerics/format.hpp"

namespace trnsim::functional {
namespace {

namespace field = isa::field;
using isa::AluOp;

struct AluRow {
    AluOp op;
    float (*apply)(float, float);
};

constexpr std::array AluRows{
    AluRow{AluOp::Bypass, [](float a, float) { return a; }},
    AluRow{AluOp::Add, numerics::add},
    AluRow{AluOp::Subtract, numerics::subtract},
    AluRow{AluOp::Multiply, numerics::multiply},
    AluRow{AluOp::Max, numerics::maximum},
    AluRow{AluOp::Min, numerics::minimum},
    AluRow{AluOp::Abs, [](float a, float) { return numerics::maximum(a, -a); }},
    AluRow{AluOp::Square, [](float a, float) { return numerics::multiply(a, a); }},
    AluRow{AluOp::Relu, [](float a, float) { return numerics::maximum(a, 0.0f); }},
};

// One ALU operation with its operand order.
struct Step {
    float (*apply)(float, float);
    bool reverse;
    float operator()(float a, float b) const { return reverse ? apply(b, a) : apply(a, b); }
};

Step step_of(const isa::Instruction& instruction, const isa::Field& op, const isa::Field& reverse) {
    const auto code = static_cast<AluOp>(instruction.get(op));
    const auto* row = std::ranges::find(AluRows, code, &AluRow::op);
    if (row == AluRows.end())
        throw Error(fmt::format("the ALU operation {} is not modelled", isa::name_of(code)));
    return {row->apply, instruction.get(reverse) != 0};
}

struct Context {
    const isa::Instruction& instruction;
    const neff::Target& target;
    CoreMemory& memory;
    Operand dst, a;

    std::vector<float> values(const Operand& operand, std::uint32_t partition) const {
        std::vector<float> values;
        for (const std::uint32_t bits : read_partition(memory, target, operand, partition)) {
            values.push_back(numerics::to_fp32(bits, operand.dtype));
        }
        return values;
    }
    void store(std::uint32_t partition, const std::vector<float>& values) const {
        std::vector<std::uint32_t> bits;
        bits.reserve(values.size());
        for (const float value : values) bits.push_back(numerics::from_fp32(value, dst.dtype));
        write_partition(memory, target, dst, partition, bits);
    }
    // The immediate, or the partition's element of the vector it points to.
    float immediate(const isa::Field& value, const isa::Field& is_vector, std::uint32_t partition) const {
        if (instruction.get(is_vector) == 0) return instruction.get_float(value);
        Operand vector{
            static_cast<std::uint32_t>(instruction.get(value)), isa::Dtype::Fp32, a.partitions, {0}};
        return values(vector, partition)[0];
    }
};

void tensor_copy(const Context& c) {
    for (std::uint32_t p = 0; p < c.a.partitions; ++p) {
        if (c.a.dtype == c.dst.dtype) {
            write_partition(c.memory, c.target, c.dst, p, read_partition(c.memory, c.target, c.a, p));
        } else {
            c.store(p, c.values(c.a, p));
        }
    }
}

void tensor_tensor(const Context& c) {
    const Operand b = operand_of(c.instruction, Role::B, c.a.partitions);
    if (c.a.address >= isa::window::PsumBase && b.address >= isa::window::PsumBase) {
        throw Error("both sources are in PSUM");
    }
    const Step step = step_of(c.instruction, field::Op0, field::Reverse0);
    for (std::uint32_t p = 0; p < c.a.partitions; ++p) {
        std::vector<float> values = c.values(c.a, p);
        const std::vector<float> others = c.values(b, p);
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = step(values[i], others[i]);
        c.store(p, values);
    }
}

void tensor_scalar(const Context& c) {
    const Step first = step_of(c.instruction, field::Op0, field::Reverse0);
    const Step second = step_of(c.instruction, field::Op1, field::Reverse1);
    for (std::uint32_t p = 0; p < c.a.partitions; ++p) {
        const float imm0 = c.immediate(field::Imm0, field::Imm0Vector, p);
        const float imm1 = c.immediate(field::Imm1, field::Imm1Vector, p);
        std::vector<float> values = c.values(c.a, p);
        for (float& value : values) value = second(first(value, imm0), imm1);
        c.store(p, values);
    }
}

struct Row {
    isa::Opcode opcode;
    void (*run)(const Context&);
};
constexpr std::array Rows{
    Row{isa::Opcode::TensorCopy, tensor_copy},
    Row{isa::Opcode::TensorTensor, tensor_tensor},
    Row{isa::Opcode::TensorScalar, tensor_scalar},
};

}  // namespace

void run_vector(const isa::Instruction& instruction, const neff::Target& target, CoreMemory& memory) {
    const auto* row = std::ranges::find(Rows, instruction.opcode(), &Row::opcode);
    if (row == Rows.end()) throw Error("the instruction is not modelled");
    if (static_cast<isa::Rounding>(instruction.get(field::Rounding)) == isa::Rounding::Stochastic) {
        throw Error("stochastic rounding is not modelled");
    }
    const auto partitions = static_cast<std::uint32_t>(instruction.get(field::Partitions));
    row->run({instruction, target, memory, operand_of(instruction, Role::Dst, partitions),
              operand_of(instruction, Role::A, partitions)});
}

}  // namespace trnsim::functional
