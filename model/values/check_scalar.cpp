// The instructions that the Scalar engine refuses (rtl/scalar/scalar_check_pkg.sv).
#include "arch/activation/activation.hpp"
#include "arch/activation/table_image.hpp"
#include "arch/operands/operands.hpp"
#include "model/values/check.hpp"

namespace trnsim::fast {

namespace field = isa::field;
using isa::AluOp;
using isa::Error;
using isa::Instruction;
using isa::Opcode;
using isa::ReduceCmd;

namespace {

// Immediates in use that are tensors must lie in SBUF.
Error check_immediates(const Instruction& instruction) {
    return operands::reads_immediate_in_psum(isa::Engine::Scalar, instruction.bytes())
               ? Error::UnsupportedOperand
               : Error::None;
}

Error check_activation(const Instruction& instruction, isa::ActivationSet loaded) {
    const auto function = static_cast<isa::Activation>(instruction.get(field::ActFunction));
    if (isa::name_of(function).empty()) return Error::UnsupportedOperand;
    if (instruction.opcode() == Opcode::ActivationReduce &&
        static_cast<ReduceCmd>(instruction.get(field::ReduceCmd)) == ReduceCmd::Idle) {
        return Error::UnsupportedOperand;
    }
    const auto bias = static_cast<isa::ImmediateDtype>(instruction.get(field::BiasDtype));
    const bool allowed = instruction.get(field::BiasVector) != 0 ? bias != isa::ImmediateDtype::Tf32
                                                                 : bias == isa::ImmediateDtype::Fp32;
    if (!allowed) return Error::Dtype;
    if (!activation::in_set(function, loaded)) return Error::ActivationTable;
    return check_immediates(instruction);
}

Error check_unary(const Instruction& instruction) {
    const bool plain = static_cast<ReduceCmd>(instruction.get(field::ReduceCmd)) == ReduceCmd::Idle &&
                       instruction.get(field::Negate) == 0 && instruction.get(field::ReduceAxes) == 0;
    if (!plain) return Error::UnsupportedOperand;
    if (instruction.get(field::Imm0Dtype) != 0) return Error::Dtype;
    const auto op0 = static_cast<AluOp>(instruction.get(field::Op0));
    const auto op1 = static_cast<AluOp>(instruction.get(field::Op1));
    if (instruction.opcode() == Opcode::TensorCopy)
        return op0 == AluOp::Bypass && op1 == AluOp::Bypass ? Error::None : Error::UnsupportedOperand;
    for (const AluOp op : {op0, op1}) {
        if (op != AluOp::Bypass && op != AluOp::Add && op != AluOp::Multiply)
            return Error::UnsupportedOperand;
    }
    return check_immediates(instruction);
}

Error check_table_load(const Instruction& instruction) {
    const auto set = static_cast<isa::ActivationSet>(instruction.get(field::TableSet));
    if (isa::name_of(set).empty() || set == isa::ActivationSet::None) return Error::ActivationTable;
    if (instruction.get(field::TableBeats) == 0) return Error::ActivationTable;
    const bool aligned = instruction.get(field::TableAddress) % activation::BeatBytes == 0;
    return aligned ? Error::None : Error::AddressAlign;
}

}  // namespace

Error check_scalar(const Instruction& instruction, isa::ActivationSet loaded) {
    if (instruction.opcode() == Opcode::ActTableLoad) return check_table_load(instruction);
    if (instruction.get(field::Rounding) > static_cast<unsigned>(isa::Rounding::Stochastic))
        return Error::UnsupportedOperand;
    switch (instruction.opcode()) {
        case Opcode::ActReadAccumulator:
            return isa::shape_of(instruction.bytes()) == isa::Counts{1, 1, 1, 1} ? Error::None : Error::Shape;
        case Opcode::Activation:
        case Opcode::ActivationReduce:
            return check_activation(instruction, loaded);
        default:
            return check_unary(instruction);
    }
}

}  // namespace trnsim::fast
