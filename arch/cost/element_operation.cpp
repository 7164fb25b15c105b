#include "arch/cost/element_operation.hpp"

#include <algorithm>

#include "arch/operands/operands.hpp"
#include "isa/element_type.hpp"

namespace trnsim::cost {
namespace {

using isa::AluOp;
using isa::Dtype;
using isa::Opcode;
namespace field = isa::field;

constexpr Counts One{1, 1, 1, 1};

bool in_psum(std::uint32_t address) {
    return address >= isa::window::PsumBase;
}

ElementOperand operand(isa::InstructionView bytes, const Geometry& geometry, isa::Role role) {
    const isa::OperandFields& fields = isa::fields_of(role);
    const std::uint32_t place = get32(bytes, *fields.address);
    const unsigned size = isa::element_size(get_as<Dtype>(bytes, *fields.dtype));
    constexpr unsigned WordBytes = 4;  // for a field without a type: the operand is not used
    return {in_psum(place), geometry.partition(place) / geometry.quadrant(), geometry.offset(place),
            isa::steps_of(bytes, role), size == 0 ? WordBytes : size};
}

std::uint32_t quadrant_mask(std::uint32_t first, std::uint32_t partitions, std::uint32_t quadrant) {
    std::uint32_t mask = 1;
    for (std::uint32_t q = 1; q < 4; ++q) mask |= std::uint32_t{partitions > q * quadrant} << q;
    return mask << first & 0xfU;
}

Region region(bool used, const ElementOperand& operand, const Counts& count, std::uint32_t partitions,
              const Geometry& geometry) {
    if (!used) return {};
    std::int64_t low = operand.offset, high = operand.offset;
    for (unsigned d = 0; d < 4; ++d) {
        const std::int64_t reach =
            std::int64_t{operand.step[d]} * (std::int64_t{count[d]} - 1) * operand.bytes;
        (reach < 0 ? low : high) += reach;
    }
    return {true, operand.psum, quadrant_mask(operand.first, partitions, geometry.quadrant()),
            static_cast<std::uint32_t>(low / 4), static_cast<std::uint32_t>(high / 4)};
}

// The fields that Vector's decoder reads.
struct Fields {
    explicit Fields(isa::InstructionView bytes)
        : opcode(isa::opcode_of(bytes)),
          op0(get_as<AluOp>(bytes, field::Op0)),
          op1(get_as<AluOp>(bytes, field::Op1)),
          count(isa::shape_of(bytes)),
          partitions(get32(bytes, field::Partitions)),
          info(*isa::find_instruction(opcode)) {}

    Opcode opcode;
    AluOp op0, op1;
    Counts count;
    std::uint32_t partitions;
    const isa::InstructionInfo& info;
};

// Returns whether each word that is read has two bf16 elements of a source, for both sources.
bool reads_pairs(const Fields& f, const ElementOperation& op, isa::InstructionView bytes) {
    const bool sources = get_as<Dtype>(bytes, field::ADtype) == Dtype::Bf16 &&
                         get_as<Dtype>(bytes, field::BDtype) == Dtype::Bf16 && op.a.step[0] == 1 &&
                         op.b.step[0] == 1;
    if (f.opcode == Opcode::TensorTensor) {
        return sources && get_as<Dtype>(bytes, field::DstDtype) == Dtype::Bf16 && op.dst.step[0] == 1 &&
               (f.op0 == AluOp::Add || f.op0 == AluOp::Subtract || f.op0 == AluOp::Multiply);
    }
    return f.opcode == Opcode::ScalarTensorTensor && sources && elements_of(f.count) % 2 == 0 &&
           f.op0 == AluOp::Subtract && f.op1 == AluOp::Multiply;
}

bool is_whole_words(const ElementOperand& operand, const Counts& count) {
    bool even = count[0] % 2 == 0 && (operand.offset & 2) == 0 && operand.step[0] == 1;
    for (unsigned d = 1; d < 4; ++d) even = even && (operand.step[d] % 2 == 0 || count[d] == 1);
    return even;
}

void make_words(ElementOperand& operand) {
    for (unsigned d = 1; d < 4; ++d) operand.step[d] >>= 1;
    operand.bytes = 4;
}

struct Kind {
    Unit unit;
    bool values_first, no_dst;
};

Kind kind_of(Opcode opcode) {
    switch (opcode) {
        case Opcode::BnStats:
            return {Unit::BnStats, false, false};
        case Opcode::BnAggr:
            return {Unit::BnAggr, false, false};
        case Opcode::Max8:
            return {Unit::Max8, false, false};
        case Opcode::FindIndex8:
            return {Unit::Find8, true, false};
        case Opcode::MatchReplace8:
            return {Unit::Replace8, true, false};
        case Opcode::Rng:
        case Opcode::Dropout:
            return {Unit::Random, false, false};
        case Opcode::SetRngSeed:
            return {Unit::Random, false, true};
        case Opcode::LoadShuffleMask:
            return {Unit::Shuffle, false, true};
        case Opcode::StreamShuffle:
            return {Unit::Shuffle, false, false};
        case Opcode::TransposeBlock:
            return {Unit::Transpose, false, false};
        default:
            return {Unit::Lanes, false, false};
    }
}

void set_stages(const Fields& f, ElementOperation& op) {
    const bool divides0 = f.op0 == AluOp::Reciprocal, divides1 = f.op1 == AluOp::Reciprocal;
    switch (f.opcode) {
        case Opcode::TensorTensor:
        case Opcode::TensorScalarReduce:
            op.first_divides = divides0;
            break;
        case Opcode::TensorScalar:
        case Opcode::ScalarTensorTensor:
            op.first_divides = divides0;
            op.second_divides = divides1;
            break;
        case Opcode::TensorTensorScan:
            op.first_divides = divides0;
            op.second_divides = divides1;
            op.first_recurs = true;
            break;
        case Opcode::TensorScalarCumulative:
            op.first_divides = divides0;
            op.second_divides = divides1;
            op.second_recurs = true;
            break;
        case Opcode::TensorReduce:
            op.second_recurs = true;
            break;
        case Opcode::ReadAccumulator:
            op.reads_accumulator = true;
            break;
        case Opcode::Reciprocal:
            op.first_divides = op.limited = true;
            break;
        default:
            break;
    }
}

// Sets the members that follow from the operands for any engine.
void finish(ElementOperation& op, isa::InstructionView bytes, const Fields& f, const Geometry& geometry,
            isa::Engine engine, std::uint32_t partitions, std::uint32_t dst_partitions) {
    const std::array<bool, 2> used = operands::reads_immediates(engine, bytes);
    std::size_t i = 0;
    for (const isa::ImmediateInfo& immediate : isa::immediates_of(f.info)) {
        op.vectors[i] = used[i] && get(bytes, *immediate.flag) != 0;
        if (op.vectors[i]) {
            const std::uint32_t address = get32(bytes, *immediate.value);
            const std::uint32_t row = geometry.offset(address) / 4;
            op.reads[2 + i] = {true, false,
                               quadrant_mask(geometry.partition(address) / geometry.quadrant(), partitions,
                                             geometry.quadrant()),
                               row, row};
        }
        ++i;
    }
    op.a_far = is_far(op.count, op.a.step, op.a.bytes);
    op.b_far = is_far(op.b_count, op.b.step, op.b.bytes);
    op.dst_far = is_far(op.dst_count, op.dst.step, op.dst.bytes);
    op.sbuf = (op.reads_a && !op.a.psum) || (op.uses_b && !op.b.psum) || (!op.dst.psum && !op.no_dst) ||
              op.vectors[0] || op.vectors[1];
    op.psum = (op.reads_a && op.a.psum) || (op.uses_b && op.b.psum) || op.dst.psum;
    op.writes = region(!op.no_dst, op.dst, op.dst_count, dst_partitions, geometry);
    op.reads[0] = region(op.reads_a, op.a, op.count, partitions, geometry);
    op.reads[1] = region(op.uses_b, op.b, op.b_count, partitions, geometry);
}

// Decodes all three operands even if the instruction lacks them: the ports use the fields as they are.
ElementOperation operands_of(const Fields& f, isa::InstructionView bytes, const Geometry& geometry) {
    ElementOperation op;
    op.count = op.b_count = op.dst_count = f.count;
    op.dst = operand(bytes, geometry, isa::Role::Dst);
    op.a = operand(bytes, geometry, isa::Role::A);
    op.b = operand(bytes, geometry, isa::Role::B);
    return op;
}

}  // namespace

std::uint32_t Geometry::partition(std::uint32_t address) const {
    return in_psum(address) ? (address - isa::window::PsumBase) / isa::window::PsumPartitionStride
                            : address / sbuf_stride;
}

std::uint32_t Geometry::offset(std::uint32_t address) const {
    return in_psum(address) ? (address - isa::window::PsumBase) % isa::window::PsumPartitionStride
                            : address % sbuf_stride;
}

ElementOperation decode_vector(isa::InstructionView bytes, const Geometry& geometry, bool stochastic) {
    const Fields f(bytes);
    const std::uint32_t quadrant = geometry.quadrant();
    ElementOperation op = operands_of(f, bytes, geometry);
    const Kind kind = kind_of(f.opcode);
    op.unit = kind.unit;
    op.no_dst = kind.no_dst;
    op.reads_a = f.info.uses_a;
    std::uint32_t partitions = f.partitions, dst_partitions = f.partitions, axes = 4;
    for (const isa::OperandInfo& row : isa::operands_of(f.info)) {
        if (!isa::is_there(bytes, row)) continue;
        if (row.role == isa::Role::B) {
            op.uses_b = true;
            op.b_count = isa::counts_of(bytes, row);
        } else if (row.role == isa::Role::Dst) {
            const operands::Extent extent = operands::extent_of(bytes, row, quadrant);
            op.dst_count = extent.counts;
            dst_partitions = extent.partitions;
        }
    }
    if (f.opcode == Opcode::TensorReduce) {
        axes = get32(bytes, field::ReduceAxes);
        op.write_groups = true;
    }
    op.reuse_words = !op.uses_b || op.a.psum || op.b.psum || reads_pairs(f, op, bytes);

    const auto rounding = get_as<isa::Rounding>(bytes, field::Rounding);
    const bool draws =
        rounding == isa::Rounding::Stochastic || (rounding == isa::Rounding::Core && stochastic);
    const auto dst_type = get_as<Dtype>(bytes, field::DstDtype);
    const bool half_float = dst_type == Dtype::Bf16 || dst_type == Dtype::Fp16;
    if (f.opcode == Opcode::Memset && half_float && get(bytes, field::Imm0Vector) == 0 &&
        get(bytes, field::Imm0) == 0 && is_whole_words(op.dst, f.count) && !draws) {
        make_words(op.dst);
        op.count[0] = op.dst_count[0] = f.count[0] / 2;
    }
    if (f.opcode == Opcode::TensorReduce && get_as<Dtype>(bytes, field::ADtype) == Dtype::Bf16 &&
        dst_type == Dtype::Bf16 && (f.op0 == AluOp::Add || f.op0 == AluOp::Max) &&
        is_whole_words(op.a, f.count)) {
        make_words(op.a);
        op.count[0] = f.count[0] / 2;
    }

    if (f.opcode == Opcode::LoadShuffleMask) {
        op.count = One;
        partitions = 1;
    }
    if (op.no_dst) {
        op.dst = {};
        op.dst.bytes = 4;
        op.dst_count = One;
        dst_partitions = 1;
    }
    op.group = 1;
    for (unsigned d = 0; d < std::min(axes, 4U); ++d) op.group *= op.count[d];
    op.values = kind.values_first ? op.b_count[0] : 0;
    op.block_results = std::min(f.partitions, quadrant);
    set_stages(f, op);

    finish(op, bytes, f, geometry, isa::Engine::Vector, partitions, dst_partitions);
    return op;
}

ElementOperation decode_scalar(isa::InstructionView bytes, const Geometry& geometry) {
    const Fields f(bytes);
    ElementOperation op = operands_of(f, bytes, geometry);
    op.reads_a = f.opcode != Opcode::ActReadAccumulator;
    op.reuse_words = true;
    finish(op, bytes, f, geometry, isa::Engine::Scalar, f.partitions, f.partitions);
    return op;
}

}  // namespace trnsim::cost
