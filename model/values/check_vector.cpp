// The instructions that the Vector engine refuses (rtl/vector/vector_check_pkg.sv).
#include <algorithm>

#include "arch/operands/operands.hpp"
#include "isa/alu_operations.hpp"
#include "isa/element_type.hpp"
#include "model/values/check.hpp"

namespace trnsim::fast {

namespace field = isa::field;
using isa::AluOp;
using isa::Dtype;
using isa::Error;
using isa::Instruction;
using isa::is_arithmetic;
using isa::is_bit_operation;
using isa::Opcode;
using isa::ReduceCmd;
using isa::reduces;
using isa::reduces_bits;

namespace {

constexpr std::uint64_t MostSearched = 16384, MostOfBnStats = 512;

// The fields that the checks read; fields that the format does not have are 0.
struct Fields {
    Opcode opcode;
    bool binary, unary;
    AluOp op0{}, op1{};
    bool reverse0 = false, reverse1 = false, b_immediate = false, negate = false;
    ReduceCmd reduce_cmd{};
    unsigned axes = 0;
    Dtype a{}, b{}, dst{};
    bool imm0_vector = false, imm1_vector = false;
    std::uint32_t imm1 = 0;

    explicit Fields(const Instruction& i)
        : opcode(i.opcode()), binary(i.info()->format == "binary"), unary(i.info()->format == "unary") {
        const isa::InstructionInfo& info = *i.info();
        if (info.uses_dst) dst = static_cast<Dtype>(i.get(field::DstDtype));
        if (info.uses_a) a = static_cast<Dtype>(i.get(field::ADtype));
        if (info.uses_dst) imm0_vector = i.get(field::Imm0Vector) != 0;
        if (!unary && !binary) return;
        op0 = static_cast<AluOp>(i.get(field::Op0));
        op1 = static_cast<AluOp>(i.get(field::Op1));
        reverse0 = i.get(field::Reverse0) != 0;
        reverse1 = i.get(field::Reverse1) != 0;
        reduce_cmd = static_cast<ReduceCmd>(i.get(field::ReduceCmd));
        if (binary) {
            b = static_cast<Dtype>(i.get(field::BDtype));
            b_immediate = i.get(field::BImmediate) != 0;
            return;
        }
        negate = i.get(field::Negate) != 0;
        axes = static_cast<unsigned>(i.get(field::ReduceAxes));
        imm1_vector = i.get(field::Imm1Vector) != 0;
        imm1 = static_cast<std::uint32_t>(i.get(field::Imm1));
    }
};

// Returns whether both are arithmetic or bypass, or both bit operations or bypass.
bool agree(AluOp op0, AluOp op1) {
    if (!is_bit_operation(op0) && !is_bit_operation(op1)) return is_arithmetic(op0) && is_arithmetic(op1);
    return (is_bit_operation(op0) || op0 == AluOp::Bypass) && (is_bit_operation(op1) || op1 == AluOp::Bypass);
}

bool operations_allowed(const Fields& f) {
    const bool no_op0 = f.op0 == AluOp::Bypass && !f.reverse0;
    const bool no_op1 = f.op1 == AluOp::Bypass && !f.reverse1;
    switch (f.opcode) {
        case Opcode::TensorTensor:
            return agree(f.op0, AluOp::Bypass) && no_op1;
        case Opcode::TensorScalar:
            return agree(f.op0, f.op1);
        case Opcode::ScalarTensorTensor:
        case Opcode::TensorTensorScan:
        case Opcode::TensorScalarCumulative:
            return is_arithmetic(f.op0) && is_arithmetic(f.op1);
        case Opcode::TensorScalarReduce:
            return is_arithmetic(f.op0) && reduces(f.op1) && !f.reverse1;
        case Opcode::TensorReduce:
            return (reduces(f.op0) || reduces_bits(f.op0)) && !f.reverse0 && no_op1;
        case Opcode::TensorCopyPredicated:
        case Opcode::SelectReduce:
            return f.op0 == AluOp::Bypass && no_op1;
        default:
            return no_op0 && no_op1;
    }
}

bool same_width_integers(Dtype x, Dtype y) {
    return isa::is_integer_type(x) && isa::is_integer_type(y) && isa::element_size(x) == isa::element_size(y);
}

bool types_allowed(const Fields& f) {
    const bool a_like_dst = same_width_integers(f.a, f.dst), b_like_dst = same_width_integers(f.b, f.dst);
    switch (f.opcode) {
        case Opcode::TensorTensor:
            return !is_bit_operation(f.op0) || (a_like_dst && b_like_dst);
        case Opcode::TensorScalar:
            return !(is_bit_operation(f.op0) || is_bit_operation(f.op1)) || a_like_dst;
        case Opcode::TensorReduce:
            return !is_bit_operation(f.op0) || a_like_dst;
        case Opcode::TensorCopyPredicated:
            return isa::is_integer_type(f.a) && (f.b_immediate || f.b == f.dst);
        case Opcode::SelectReduce:
            return isa::is_integer_type(f.b);
        case Opcode::Rng:
            return isa::is_integer_type(f.dst);
        case Opcode::SetRngSeed:
            return f.a == Dtype::U32 || f.a == Dtype::I32;
        case Opcode::FindIndex8:
            return f.dst == Dtype::U16 || f.dst == Dtype::U32;
        case Opcode::StreamShuffle:
        case Opcode::TransposeBlock:
            return f.a == f.dst;
        default:
            return true;
    }
}

// An instruction of one source gives imm0 a type: fp32, but a probability of floats may have any float type.
bool imm0_type_allowed(const Fields& f, const Instruction& instruction) {
    if (!f.unary) return true;
    const auto code = static_cast<isa::ImmediateDtype>(instruction.get(field::Imm0Dtype));
    if (code == isa::ImmediateDtype::Fp32) return true;
    return f.opcode == Opcode::Dropout && f.imm0_vector && !isa::is_integer_type(isa::type_of(code)) &&
           !isa::is_integer_type(f.a);
}

bool second_immediate_allowed(const Fields& f) {
    const bool none = f.imm1 == 0 && !f.imm1_vector;
    if (f.opcode == Opcode::TensorScalarReduce) return none || f.reduce_cmd == ReduceCmd::Reset;
    return f.opcode != Opcode::TensorScalarCumulative || none;
}

bool modes_allowed(const Fields& f) {
    const bool idle = f.reduce_cmd == ReduceCmd::Idle;
    switch (f.opcode) {
        case Opcode::TensorScalarReduce:
            return !idle && !f.negate && f.axes == 0;
        case Opcode::SelectReduce:
            return f.reduce_cmd != ReduceCmd::Reset && !f.b_immediate;
        case Opcode::TensorCopyPredicated:
            return idle;
        case Opcode::TensorReduce:
            return idle && f.axes >= 1 && f.axes <= 4;
        default:
            return idle && !f.b_immediate && !f.negate && f.axes == 0;
    }
}

bool shape_allowed(const Instruction& instruction, std::uint32_t quadrant) {
    const isa::Counts counts = isa::shape_of(instruction.bytes());
    const std::uint64_t partitions = instruction.get(field::Partitions);
    const auto most = [&](std::uint64_t number) { return isa::elements_up_to(counts, number + 1) <= number; };
    switch (instruction.opcode()) {
        case Opcode::SetRngSeed:
            return most(1) && partitions == 1;
        case Opcode::Max8:
        case Opcode::FindIndex8:
            return !most(7) && most(MostSearched);
        case Opcode::MatchReplace8:
            return most(MostSearched);
        case Opcode::TransposeBlock: {
            // The count is modulo a multiple of the quadrant, as the counter of the hardware is.
            const auto elements = static_cast<std::uint16_t>(isa::elements_up_to(counts, UINT64_MAX));
            return operands::turns_one_block(instruction.bytes(), quadrant) ||
                   (elements % quadrant == 0 && partitions % quadrant == 0);
        }
        case Opcode::ReadAccumulator:
            return most(1);
        case Opcode::BnStats:
            return most(MostOfBnStats);
        case Opcode::BnAggr:
            return std::ranges::any_of(counts, [](std::uint32_t count) { return count % 3 == 0; });
        default:
            return true;
    }
}

Error check_mask(const ShuffleMask& mask, std::uint32_t quadrant) {
    if (quadrant > mask.size()) return Error::UnsupportedOperand;
    const bool fits = std::all_of(mask.begin(), mask.begin() + quadrant,
                                  [&](std::uint8_t entry) { return entry == KeepRow || entry < quadrant; });
    return fits ? Error::None : Error::PartitionRange;
}

// Returns whether the rows that stream_shuffle takes exist: the last quadrant may be used only in part.
bool rows_are_there(const ShuffleMask& mask, std::uint64_t partitions, std::uint32_t quadrant) {
    const std::uint64_t used = (partitions - 1) % quadrant + 1;
    return std::all_of(mask.begin(), mask.begin() + static_cast<std::ptrdiff_t>(used),
                       [&](std::uint8_t entry) { return entry == KeepRow || entry < used; });
}

}  // namespace

ShuffleMask mask_entries(const Instruction& instruction) {
    constexpr std::array Words{&field::Mask0, &field::Mask1, &field::Mask2, &field::Mask3,
                               &field::Mask4, &field::Mask5, &field::Mask6, &field::Mask7};
    ShuffleMask mask{};
    for (std::size_t i = 0; i < mask.size(); ++i)
        mask[i] = static_cast<std::uint8_t>(instruction.get(*Words[i / 4]) >> (i % 4 * 8));
    return mask;
}

Error check_vector(const Instruction& instruction, std::uint32_t quadrant, const ShuffleMask& mask) {
    if (instruction.opcode() == Opcode::LoadShuffleMask)
        return check_mask(mask_entries(instruction), quadrant);
    const isa::InstructionInfo& info = *instruction.info();
    if (!shape_allowed(instruction, quadrant)) return Error::Shape;
    const Fields f(instruction);
    const bool has_modes = f.unary || f.binary;
    if (has_modes && (!operations_allowed(f) || !second_immediate_allowed(f) || !modes_allowed(f)))
        return Error::UnsupportedOperand;
    if (!types_allowed(f) || !imm0_type_allowed(f, instruction)) return Error::Dtype;
    if (f.opcode == Opcode::StreamShuffle &&
        !rows_are_there(mask, instruction.get(field::Partitions), quadrant)) {
        return Error::PartitionRange;
    }
    if (info.uses_dst && instruction.get(field::Rounding) > static_cast<unsigned>(isa::Rounding::Stochastic))
        return Error::UnsupportedOperand;
    if (instruction.reads_b() && instruction.get(field::AAddr) >= isa::window::PsumBase &&
        instruction.get(field::BAddr) >= isa::window::PsumBase) {
        return Error::UnsupportedOperand;
    }
    const bool unreadable = operands::reads_immediate_in_psum(isa::Engine::Vector, instruction.bytes());
    return unreadable ? Error::UnsupportedOperand : Error::None;
}

}  // namespace trnsim::fast
