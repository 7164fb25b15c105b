#include "model/estimates/operation_counts.hpp"

#include <algorithm>
#include <numeric>

#include "isa/element_type.hpp"
#include "isa/operands.hpp"

namespace trnsim::estimates {
namespace {

using isa::Activation;
using isa::AluOp;
using isa::Dtype;
using isa::Opcode;
namespace field = isa::field;

constexpr std::uint64_t PolynomialDegree = 4;  // degree for most activation functions

// The arithmetic of one element.
struct Cost {
    std::uint64_t additions = 0, multiplications = 0;
};

constexpr Cost operator+(Cost a, Cost b) {
    return {a.additions + b.additions, a.multiplications + b.multiplications};
}

constexpr Cost Addition{1, 0}, Multiplication{0, 1}, Fma{1, 1};

// The costs of instructions that do not have their operation in op0 and op1.
struct OpcodeCost {
    Opcode opcode;
    Cost cost;
};
constexpr std::array OpcodeCosts{
    OpcodeCost{Opcode::Reciprocal, {0, 8}},  // eight cycles for each element
    OpcodeCost{Opcode::BnStats, {2, 1}},
    OpcodeCost{Opcode::BnAggr, {2, 2}},
};

constexpr std::array Multiplying{AluOp::Multiply, AluOp::Square, AluOp::Power, AluOp::Reciprocal,
                                 AluOp::Rsqrt};
constexpr std::array Tableless{Activation::Copy, Activation::Square, Activation::Relu,
                               Activation::Sign, Activation::Abs,    Activation::Prelu};

bool has(const isa::InstructionInfo& info, const isa::Field& wanted) {
    return std::ranges::find(info.fields, &wanted) != info.fields.end();
}

Cost cost_of(AluOp op) {
    if (op == AluOp::Bypass) return {};
    return std::ranges::find(Multiplying, op) != Multiplying.end() ? Multiplication : Addition;
}

Cost cost_of(const isa::Instruction& instruction, const isa::InstructionInfo& info) {
    const auto* listed = std::ranges::find(OpcodeCosts, info.opcode, &OpcodeCost::opcode);
    if (listed != OpcodeCosts.end()) return listed->cost;
    if (has(info, field::ActFunction)) {
        const auto function = static_cast<Activation>(instruction.get(field::ActFunction));
        if (std::ranges::find(Tableless, function) != Tableless.end()) return Fma + Addition;
        return Fma + Addition + Cost{PolynomialDegree, PolynomialDegree};
    }
    Cost cost;
    if (has(info, field::Op0)) cost = cost + cost_of(static_cast<AluOp>(instruction.get(field::Op0)));
    if (has(info, field::Op1)) cost = cost + cost_of(static_cast<AluOp>(instruction.get(field::Op1)));
    return cost.additions + cost.multiplications == 0 ? Addition : cost;
}

std::uint64_t product(const isa::Counts& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{1}, std::multiplies<>{});
}

// Counts `elements` of one operand as read or written.
void access(OperationCounts& work, const isa::Instruction& instruction, isa::Role role,
            std::uint64_t elements) {
    const isa::OperandFields& fields = isa::fields_of(role);
    const auto dtype = static_cast<Dtype>(instruction.get(*fields.dtype));
    const std::uint64_t bytes = elements * isa::element_size(dtype);
    (instruction.get(*fields.address) < isa::window::PsumBase ? work.sbuf_bytes : work.psum_bytes) += bytes;
}

void add_matmul(OperationCounts& work, const isa::Instruction& instruction, std::uint64_t moving,
                std::uint64_t passes) {
    const auto dtype = static_cast<Dtype>(instruction.get(field::ADtype));
    const std::uint64_t columns = instruction.get(field::Columns), rows = instruction.get(field::Partitions);
    work.macs[static_cast<std::size_t>(dtype)] += rows * columns * moving;
    access(work, instruction, isa::Role::A, passes * rows * moving);
    // Every pass writes a row of results; all but a first pass that does not accumulate read it before.
    const std::uint64_t accesses = 2 * passes - (instruction.get(field::Accumulate) == 0 ? 1 : 0);
    access(work, instruction, isa::Role::Dst, accesses * columns * moving);
}

}  // namespace

std::uint64_t OperationCounts::all_macs() const {
    return std::accumulate(macs.begin(), macs.end(), std::uint64_t{0});
}

void add(OperationCounts& work, const isa::Instruction& instruction, std::uint64_t passes) {
    const isa::InstructionInfo* info = instruction.info();
    if (info == nullptr || !(info->uses_a || info->uses_dst)) return;
    const std::uint64_t elements = product(isa::shape_of(instruction.bytes()));
    if (info->opcode == Opcode::MultiplyMoving) return add_matmul(work, instruction, elements, passes);
    const std::uint64_t lanes = instruction.get(field::Partitions);
    for (const isa::OperandInfo& operand : isa::operands_of(*info)) {
        if (isa::is_there(instruction.bytes(), operand))
            access(work, instruction, operand.role,
                   lanes * product(isa::counts_of(instruction.bytes(), operand)));
    }
    if (info->opcode == Opcode::LoadStationary) return;
    const Cost cost = cost_of(instruction, *info);
    work.additions += lanes * elements * cost.additions;
    work.multiplications += lanes * elements * cost.multiplications;
}

}  // namespace trnsim::estimates
