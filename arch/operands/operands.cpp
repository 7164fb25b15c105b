#include "arch/operands/operands.hpp"

#include "isa/alu_operations.hpp"

namespace trnsim::operands {

namespace field = isa::field;
using isa::AluOp;
using isa::Opcode;

namespace {

// Returns whether a Vector operation reads a second value: a unary one does when it is reversed.
bool takes(isa::InstructionView bytes, const isa::Field& op, const isa::Field& reverse) {
    return get(bytes, reverse) != 0 || !isa::is_unary(get_as<AluOp>(bytes, op));
}

std::array<bool, 2> vector_reads(isa::InstructionView bytes) {
    switch (isa::opcode_of(bytes)) {
        case Opcode::Memset:
        case Opcode::TensorTensorScan:
        case Opcode::SelectReduce:
        case Opcode::Dropout:
        case Opcode::MatchReplace8:
            return {true, false};
        case Opcode::TensorCopyPredicated:
            return {get(bytes, field::BImmediate) != 0, false};
        case Opcode::ScalarTensorTensor:
        case Opcode::TensorScalarCumulative:
            return {takes(bytes, field::Op0, field::Reverse0), false};
        case Opcode::TensorScalar:
            return {takes(bytes, field::Op0, field::Reverse0), takes(bytes, field::Op1, field::Reverse1)};
        case Opcode::TensorScalarReduce:
            return {takes(bytes, field::Op0, field::Reverse0),
                    get_as<isa::ReduceCmd>(bytes, field::ReduceCmd) == isa::ReduceCmd::Reset};
        default:
            return {};
    }
}

std::array<bool, 2> scalar_reads(isa::InstructionView bytes) {
    const auto used = [&](const isa::Field& op, const isa::Field& reverse) {
        return get_as<AluOp>(bytes, op) != AluOp::Bypass || get(bytes, reverse) != 0;
    };
    switch (isa::opcode_of(bytes)) {
        case Opcode::Activation:
        case Opcode::ActivationReduce:
            return {true, true};
        case Opcode::TensorScalar:
            return {used(field::Op0, field::Reverse0), used(field::Op1, field::Reverse1)};
        default:
            return {};
    }
}

}  // namespace

bool turns_one_block(isa::InstructionView bytes, std::uint32_t quadrant) {
    if (isa::opcode_of(bytes) != Opcode::TransposeBlock) return false;
    const std::uint64_t elements = isa::elements_up_to(isa::shape_of(bytes), quadrant + 1);
    const std::uint32_t partitions = get32(bytes, field::Partitions);
    return partitions <= quadrant && elements <= quadrant && elements != 0 &&
           !(partitions == quadrant && elements == quadrant);
}

Extent extent_of(isa::InstructionView bytes, const isa::OperandInfo& operand, std::uint32_t quadrant) {
    const std::uint32_t partitions = get32(bytes, *operand.partitions);
    if (operand.turned && turns_one_block(bytes, quadrant)) {
        const auto rows = static_cast<std::uint32_t>(isa::elements_up_to(isa::shape_of(bytes), quadrant));
        return {{partitions, 1, 1, 1}, rows};
    }
    return {isa::counts_of(bytes, operand), partitions};
}

std::array<bool, 2> reads_immediates(isa::Engine engine, isa::InstructionView bytes) {
    return engine == isa::Engine::Scalar ? scalar_reads(bytes) : vector_reads(bytes);
}

bool reads_immediate_in_psum(isa::Engine engine, isa::InstructionView bytes) {
    const auto reads = reads_immediates(engine, bytes);
    const auto immediates = isa::immediates_of(*isa::find_instruction(isa::opcode_of(bytes)));
    for (std::size_t i = 0; i < immediates.size(); ++i) {
        if (reads.at(i) && get(bytes, *immediates[i].flag) != 0 &&
            get(bytes, *immediates[i].value) >= isa::window::PsumBase) {
            return true;
        }
    }
    return false;
}

}  // namespace trnsim::operands
