// The checks of the Vector and Scalar engines.
#include <algorithm>
#include <array>
#include <span>

#include "arch/activation/activation.hpp"
#include "arch/operands/operands.hpp"
#include "arch/target/dtype.hpp"
#include "isa/element_type.hpp"
#include "isa/operands.hpp"
#include "testbench/functional/alu.hpp"
#include "testbench/functional/refusal.hpp"

namespace trnsim::functional {

namespace field = isa::field;
using isa::AluOp;
using isa::Opcode;
using isa::ReduceCmd;

namespace {

using Code = isa::Error;

constexpr std::uint64_t LeastSearched = 8, MostSearched = 16384, MostOfStatistics = 512;

// An instruction of the lanes, and the state that decides about it.
struct LaneWork {
    const isa::Instruction& instruction;
    isa::Engine engine;
    const LaneState& state;
    Opcode opcode = instruction.opcode();
    const isa::InstructionInfo& info = *instruction.info();

    std::uint64_t get(const isa::Field& field) const { return instruction.get(field); }
    AluOp op(const isa::Field& field) const { return static_cast<AluOp>(get(field)); }
    isa::Dtype type(const isa::Field& field) const { return static_cast<isa::Dtype>(get(field)); }
    ReduceCmd reduce() const { return static_cast<ReduceCmd>(get(field::ReduceCmd)); }

    bool any_of(std::initializer_list<Opcode> opcodes) const {
        return std::ranges::find(opcodes, opcode) != opcodes.end();
    }
    // Unary and binary instructions have operations and modes.
    bool is_unary() const { return info.format == "unary"; }
    bool is_binary() const { return info.format == "binary"; }
    bool has_modes() const { return is_unary() || is_binary(); }

    bool elements_within(std::uint64_t least, std::uint64_t most) const {
        const std::uint64_t elements = isa::elements_up_to(isa::shape_of(instruction.bytes()), most + 1);
        return elements >= least && elements <= most;
    }
    std::uint64_t partitions() const { return get(field::Partitions); }
    std::uint32_t quadrant() const { return static_cast<std::uint32_t>(state.shuffle_mask.size()); }
};

bool reduces_numbers(AluOp op) {
    return !is_bit_operation(op) && has_reduction(op);
}

// True if both are operations on numbers, or both on bits; bypass is either.
bool go_together(AluOp x, AluOp y) {
    const auto on_bits = [](AluOp op) { return is_bit_operation(op) || op == AluOp::Bypass; };
    return (has_arithmetic(x) && has_arithmetic(y)) || (on_bits(x) && on_bits(y));
}

bool operations_fit(const LaneWork& w) {
    const AluOp op0 = w.op(field::Op0), op1 = w.op(field::Op1);
    const bool reverse0 = w.get(field::Reverse0) != 0, reverse1 = w.get(field::Reverse1) != 0;
    const bool no_second = op1 == AluOp::Bypass && !reverse1;
    switch (w.opcode) {
        case Opcode::TensorTensor:
            return go_together(op0, AluOp::Bypass) && no_second;
        case Opcode::TensorScalar:
            return go_together(op0, op1);
        case Opcode::ScalarTensorTensor:
        case Opcode::TensorTensorScan:
        case Opcode::TensorScalarCumulative:
            return has_arithmetic(op0) && has_arithmetic(op1);
        case Opcode::TensorScalarReduce:
            return has_arithmetic(op0) && reduces_numbers(op1) && !reverse1;
        case Opcode::TensorReduce:
            return has_reduction(op0) && !reverse0 && no_second;
        case Opcode::TensorCopyPredicated:
        case Opcode::SelectReduce:
            return op0 == AluOp::Bypass && no_second;
        default:
            return op0 == AluOp::Bypass && !reverse0 && no_second;
    }
}

bool second_immediate_fits(const LaneWork& w) {
    if (!w.any_of({Opcode::TensorScalarReduce, Opcode::TensorScalarCumulative})) return true;
    if (w.opcode == Opcode::TensorScalarReduce && w.reduce() == ReduceCmd::Reset) return true;
    return w.get(field::Imm1) == 0 && w.get(field::Imm1Vector) == 0;
}

bool modes_fit(const LaneWork& w) {
    const bool idle = w.reduce() == ReduceCmd::Idle;
    const std::uint64_t axes = w.is_unary() ? w.get(field::ReduceAxes) : 0;
    const bool negated = w.is_unary() && w.get(field::Negate) != 0;
    const bool constant = w.is_binary() && w.get(field::BImmediate) != 0;
    switch (w.opcode) {
        case Opcode::TensorScalarReduce:
            return !idle && !negated && axes == 0;
        case Opcode::SelectReduce:
            return w.reduce() != ReduceCmd::Reset && !constant;
        case Opcode::TensorCopyPredicated:
            return idle;
        case Opcode::TensorReduce:
            return idle && axes >= 1 && axes <= isa::Dimensions;
        default:
            return idle && !constant && !negated && axes == 0;
    }
}

bool shape_fits(const LaneWork& w) {
    switch (w.opcode) {
        case Opcode::SetRngSeed:
            return w.elements_within(1, 1) && w.partitions() == 1;
        case Opcode::Max8:
        case Opcode::FindIndex8:
            return w.elements_within(LeastSearched, MostSearched);
        case Opcode::MatchReplace8:
            return w.elements_within(1, MostSearched);
        case Opcode::ReadAccumulator:
            return w.elements_within(1, 1);
        case Opcode::BnStats:
            return w.elements_within(1, MostOfStatistics);
        case Opcode::BnAggr:
            return std::ranges::any_of(isa::shape_of(w.instruction.bytes()),
                                       [](std::uint32_t count) { return count % 3 == 0; });
        case Opcode::TransposeBlock: {
            if (operands::turns_one_block(w.instruction.bytes(), w.quadrant())) return true;
            const std::uint64_t elements =
                isa::elements_up_to(isa::shape_of(w.instruction.bytes()), UINT64_MAX);
            return elements % w.quadrant() == 0 && w.partitions() % w.quadrant() == 0;
        }
        default:
            return true;
    }
}

bool types_fit(const LaneWork& w) {
    const auto like_dst = [&](const isa::Field& operand) {
        const isa::Dtype type = w.type(operand), dst = w.type(field::DstDtype);
        return isa::is_integer_type(type) && isa::is_integer_type(dst) &&
               isa::element_size(type) == isa::element_size(dst);
    };
    const auto raw = [&](const isa::Field& op) { return is_bit_operation(w.op(op)); };
    switch (w.opcode) {
        case Opcode::TensorTensor:
            return !raw(field::Op0) || (like_dst(field::ADtype) && like_dst(field::BDtype));
        case Opcode::TensorScalar:
            return !(raw(field::Op0) || raw(field::Op1)) || like_dst(field::ADtype);
        case Opcode::TensorReduce:
            return !raw(field::Op0) || like_dst(field::ADtype);
        case Opcode::TensorCopyPredicated:
            return isa::is_integer_type(w.type(field::ADtype)) &&
                   (w.get(field::BImmediate) != 0 || w.type(field::BDtype) == w.type(field::DstDtype));
        case Opcode::SelectReduce:
            return isa::is_integer_type(w.type(field::BDtype));
        case Opcode::Rng:
            return isa::is_integer_type(w.type(field::DstDtype));
        case Opcode::SetRngSeed:
            return isa::is_integer_type(w.type(field::ADtype)) &&
                   isa::element_size(w.type(field::ADtype)) == 4;
        case Opcode::FindIndex8:
            return w.type(field::DstDtype) == isa::Dtype::U16 || w.type(field::DstDtype) == isa::Dtype::U32;
        case Opcode::StreamShuffle:
        case Opcode::TransposeBlock:
            return w.type(field::ADtype) == w.type(field::DstDtype);
        default:
            return true;
    }
}

// The types of a [partitions,1] operand; a constant is fp32.
bool column_fits(const LaneWork& w, const isa::Field& dtype, const isa::Field& is_vector,
                 std::span<const isa::Dtype> types) {
    const auto code = static_cast<isa::ImmediateDtype>(w.get(dtype));
    if (code == isa::ImmediateDtype::Fp32) return true;
    return w.get(is_vector) != 0 && std::ranges::find(types, isa::type_of(code)) != types.end();
}

bool first_immediate_type_fits(const LaneWork& w) {
    if (!w.is_unary()) return true;
    if (w.opcode != Opcode::Dropout) return w.get(field::Imm0Dtype) == 0;
    return column_fits(w, field::Imm0Dtype, field::Imm0Vector,
                       target::probability_types(w.type(field::ADtype)));
}

bool reads_rows_that_are_there(const LaneWork& w) {
    const std::uint64_t used = (w.partitions() - 1) % w.quadrant() + 1;  // of the last quadrant
    for (std::uint64_t row = 0; row < used; ++row) {
        const std::uint8_t entry = w.state.shuffle_mask[row];
        if (entry != KeepRow && entry >= used) return false;
    }
    return true;
}

bool mask_fits(const LaneWork& w) {
    const std::array words{&field::Mask0, &field::Mask1, &field::Mask2, &field::Mask3,
                           &field::Mask4, &field::Mask5, &field::Mask6, &field::Mask7};
    for (std::uint32_t i = 0; i < w.quadrant(); ++i) {
        const auto entry = static_cast<std::uint8_t>(w.get(*words.at(i / 4)) >> (i % 4 * 8));
        if (entry != KeepRow && entry >= w.quadrant()) return false;
    }
    return true;
}

bool rounding_fits(const LaneWork& w) {
    return !w.info.uses_dst || w.get(field::Rounding) <= static_cast<unsigned>(isa::Rounding::Stochastic);
}

bool immediates_fit(const LaneWork& w) {
    return !operands::reads_immediate_in_psum(w.engine, w.instruction.bytes());
}

bool is_activation(const LaneWork& w) {
    return w.any_of({Opcode::Activation, Opcode::ActivationReduce});
}

struct LaneRule {
    Code error;
    std::string_view text;
    bool (*holds)(const LaneWork&);
};
using LaneRules = std::span<const LaneRule>;

constexpr std::uint32_t MostMaskEntries = 32;
constexpr std::array MaskRules{
    LaneRule{Code::UnsupportedOperand, "quadrants of more than 32 partitions have no mask",
             [](const LaneWork& w) { return w.quadrant() <= MostMaskEntries; }},
    LaneRule{Code::PartitionRange, "a mask entry is beyond the quadrant", mask_fits},
};

constexpr std::array VectorRules{
    LaneRule{Code::Shape, "a number of elements or partitions that the instruction does not have",
             shape_fits},
    LaneRule{Code::UnsupportedOperand, "an operation that the instruction does not have",
             [](const LaneWork& w) { return !w.has_modes() || operations_fit(w); }},
    LaneRule{Code::UnsupportedOperand, "imm1 does not belong here",
             [](const LaneWork& w) { return !w.is_unary() || second_immediate_fits(w); }},
    LaneRule{Code::UnsupportedOperand, "reduce_cmd, reduce_axes, negate or b_immediate does not belong here",
             [](const LaneWork& w) { return !w.has_modes() || modes_fit(w); }},
    LaneRule{Code::Dtype, "a type that the instruction does not have", types_fit},
    LaneRule{Code::Dtype, "a per-partition operand has a type that does not belong here",
             first_immediate_type_fits},
    LaneRule{
        Code::PartitionRange, "the mask names a row beyond the partitions",
        [](const LaneWork& w) { return w.opcode != Opcode::StreamShuffle || reads_rows_that_are_there(w); }},
    LaneRule{Code::UnsupportedOperand, "an undefined rounding", rounding_fits},
    LaneRule{Code::UnsupportedOperand, "both sources are in PSUM",
             [](const LaneWork& w) {
                 return !w.instruction.reads_b() || w.get(field::AAddr) < isa::window::PsumBase ||
                        w.get(field::BAddr) < isa::window::PsumBase;
             }},
    LaneRule{Code::UnsupportedOperand, "a per-partition operand is not in SBUF", immediates_fit},
};

constexpr std::array TableRules{
    LaneRule{Code::ActivationTable, "there is no such table set to load",
             [](const LaneWork& w) {
                 const auto set = static_cast<isa::ActivationSet>(w.get(field::TableSet));
                 return set != isa::ActivationSet::None && !isa::name_of(set).empty();
             }},
};

constexpr std::array ScalarRules{
    LaneRule{Code::UnsupportedOperand, "an undefined rounding", rounding_fits},
    LaneRule{
        Code::Shape, "more than one element a partition",
        [](const LaneWork& w) { return w.opcode != Opcode::ActReadAccumulator || w.elements_within(1, 1); }},
    LaneRule{Code::UnsupportedOperand, "an undefined activation function",
             [](const LaneWork& w) {
                 return !is_activation(w) ||
                        !isa::name_of(static_cast<isa::Activation>(w.get(field::ActFunction))).empty();
             }},
    LaneRule{Code::UnsupportedOperand, "reduce_cmd 'idle' does not belong here",
             [](const LaneWork& w) {
                 return w.opcode != Opcode::ActivationReduce || w.reduce() != ReduceCmd::Idle;
             }},
    LaneRule{Code::Dtype, "the bias has a type that does not belong here",
             [](const LaneWork& w) {
                 return !is_activation(w) ||
                        column_fits(w, field::BiasDtype, field::BiasVector, target::bias_types());
             }},
    LaneRule{Code::ActivationTable, "no loaded table set has the function",
             [](const LaneWork& w) {
                 return !is_activation(w) ||
                        activation::in_set(static_cast<isa::Activation>(w.get(field::ActFunction)),
                                           w.state.table_set);
             }},
    LaneRule{Code::UnsupportedOperand, "reduce_cmd, reduce_axes or negate does not belong here",
             [](const LaneWork& w) {
                 return !w.is_unary() || (w.reduce() == ReduceCmd::Idle && w.get(field::Negate) == 0 &&
                                          w.get(field::ReduceAxes) == 0);
             }},
    LaneRule{Code::Dtype, "imm0 has a type that does not belong here",
             [](const LaneWork& w) { return !w.is_unary() || w.get(field::Imm0Dtype) == 0; }},
    LaneRule{Code::UnsupportedOperand, "the Scalar engine has bypass, add and multiply, tensor_copy neither",
             [](const LaneWork& w) {
                 if (!w.is_unary()) return true;
                 for (const isa::Field* op : {&field::Op0, &field::Op1}) {
                     const AluOp code = w.op(*op);
                     const bool computes = code == AluOp::Add || code == AluOp::Multiply;
                     if (code != AluOp::Bypass && (w.opcode == Opcode::TensorCopy || !computes)) return false;
                 }
                 return true;
             }},
    LaneRule{Code::UnsupportedOperand, "a per-partition operand is not in SBUF", immediates_fit},
};

Refusal first_broken(LaneRules rules, const LaneWork& work) {
    for (const LaneRule& rule : rules)
        if (!rule.holds(work)) return {rule.error, 0, rule.text};
    return {};
}

}  // namespace

Refusal refusal_by_vector(const isa::Instruction& instruction, const LaneState& state) {
    const LaneWork work{instruction, isa::Engine::Vector, state};
    return first_broken(
        work.opcode == Opcode::LoadShuffleMask ? LaneRules(MaskRules) : LaneRules(VectorRules), work);
}

Refusal refusal_by_scalar(const isa::Instruction& instruction, const LaneState& state) {
    const LaneWork work{instruction, isa::Engine::Scalar, state};
    return first_broken(work.opcode == Opcode::ActTableLoad ? LaneRules(TableRules) : LaneRules(ScalarRules),
                        work);
}

}  // namespace trnsim::functional
