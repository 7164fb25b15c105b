#include "model/core/fast/element_operation.hpp"

#include <algorithm>

#include "isa/element_type.hpp"
#include "isa/instruction.hpp"

namespace trnsim::tlm::core_fast {
namespace {

using isa::AluOp;
using isa::Dtype;
using isa::Opcode;
namespace field = isa::field;

constexpr Counts One{1, 1, 1, 1};

bool in_psum(std::uint32_t address) {
    return address >= isa::window::PsumBase;
}

Steps steps(const InstructionBytes& bytes, const std::array<const isa::Field*, 4>& fields) {
    Steps result{};
    for (unsigned d = 0; d < 4; ++d)
        result[d] = static_cast<std::int16_t>(static_cast<std::uint16_t>(get(bytes, *fields[d])));
    return result;
}

ElementOperand operand(const InstructionBytes& bytes, const Geometry& geometry, const isa::Field& address,
                       const std::array<const isa::Field*, 4>& step, const isa::Field& dtype) {
    const std::uint32_t place = get32(bytes, address);
    const unsigned size = isa::element_size(get_as<Dtype>(bytes, dtype));
    constexpr unsigned WordBytes = 4;  // of a field without a type, as the operand is not used
    return {in_psum(place), geometry.partition(place) / geometry.quadrant(), geometry.offset(place),
            steps(bytes, step), size == 0 ? WordBytes : size};
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

bool is_one_operand(AluOp op) {
    switch (op) {
        case AluOp::Bypass:
        case AluOp::Abs:
        case AluOp::Square:
        case AluOp::Relu:
        case AluOp::Reciprocal:
        case AluOp::LogicalNot:
        case AluOp::BitwiseNot:
            return true;
        default:
            return false;
    }
}

// The fields that Vector's decoder looks at.
struct Fields {
    explicit Fields(const InstructionBytes& bytes)
        : opcode(opcode_of(bytes)),
          op0(get_as<AluOp>(bytes, field::Op0)),
          op1(get_as<AluOp>(bytes, field::Op1)),
          reverse0(get(bytes, field::Reverse0) != 0),
          reverse1(get(bytes, field::Reverse1) != 0),
          count{get32(bytes, field::Count0), get32(bytes, field::Count1), get32(bytes, field::Count2),
                get32(bytes, field::Count3)},
          partitions(get32(bytes, field::Partitions)),
          info(*isa::find_instruction(opcode)) {}

    bool takes(AluOp op, bool reverse) const { return reverse || !is_one_operand(op); }

    Opcode opcode;
    AluOp op0, op1;
    bool reverse0, reverse1;
    Counts count;
    std::uint32_t partitions;
    const isa::InstructionInfo& info;
};

bool takes_imm0(const Fields& f, const InstructionBytes& bytes) {
    switch (f.opcode) {
        case Opcode::Memset:
        case Opcode::TensorTensorScan:
        case Opcode::SelectReduce:
        case Opcode::Dropout:
        case Opcode::MatchReplace8:
            return true;
        case Opcode::TensorCopyPredicated:
            return get(bytes, field::BImmediate) != 0;
        case Opcode::TensorScalar:
        case Opcode::ScalarTensorTensor:
        case Opcode::TensorScalarReduce:
        case Opcode::TensorScalarCumulative:
            return f.takes(f.op0, f.reverse0);
        default:
            return false;
    }
}

bool takes_imm1(const Fields& f, const InstructionBytes& bytes) {
    if (f.opcode == Opcode::TensorScalar) return f.takes(f.op1, f.reverse1);
    return f.opcode == Opcode::TensorScalarReduce &&
           get_as<isa::ReduceCmd>(bytes, field::ReduceCmd) == isa::ReduceCmd::Reset;
}

// Words that carry two bf16 elements of both sources.
bool reads_pairs(const Fields& f, const ElementOperation& op, const InstructionBytes& bytes) {
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

// One block smaller than a quadrant's square.
bool one_block(const Fields& f, std::uint32_t quadrant) {
    const std::uint64_t elements = elements_of(f.count);
    return f.opcode == Opcode::TransposeBlock && f.partitions <= quadrant && elements <= quadrant &&
           !(f.partitions == quadrant && elements == quadrant);
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
            op.first_divides = op.one_divider = true;
            break;
        default:
            break;
    }
}

// What follows from the operands, whatever the engine.
void finish(ElementOperation& op, const InstructionBytes& bytes, const Geometry& geometry,
            std::uint32_t partitions, std::uint32_t dst_partitions, const std::array<bool, 2>& used) {
    const std::array<const isa::Field*, 2> flags{&field::Imm0Vector, &field::Imm1Vector};
    const std::array<const isa::Field*, 2> places{&field::Imm0, &field::Imm1};
    for (unsigned i = 0; i < 2; ++i) {
        op.vectors[i] = used[i] && get(bytes, *flags[i]) != 0;
        if (!op.vectors[i]) continue;
        const std::uint32_t address = get32(bytes, *places[i]);
        const std::uint32_t row = geometry.offset(address) / 4;
        op.reads[2 + i] = {
            true, false,
            quadrant_mask(geometry.partition(address) / geometry.quadrant(), partitions, geometry.quadrant()),
            row, row};
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

ElementOperation operands(const Fields& f, const InstructionBytes& bytes, const Geometry& geometry) {
    ElementOperation op;
    op.count = op.b_count = op.dst_count = f.count;
    op.dst =
        operand(bytes, geometry, field::DstAddr,
                {&field::DstStep0, &field::DstStep1, &field::DstStep2, &field::DstStep3}, field::DstDtype);
    op.a = operand(bytes, geometry, field::AAddr,
                   {&field::AStep0, &field::AStep1, &field::AStep2, &field::AStep3}, field::ADtype);
    op.b = operand(bytes, geometry, field::BAddr,
                   {&field::BStep0, &field::BStep1, &field::BStep2, &field::BStep3}, field::BDtype);
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

ElementOperation decode_vector(const InstructionBytes& bytes, const Geometry& geometry, bool stochastic) {
    const Fields f(bytes);
    const std::uint32_t quadrant = geometry.quadrant();
    ElementOperation op = operands(f, bytes, geometry);
    const Kind kind = kind_of(f.opcode);
    op.unit = kind.unit;
    op.no_dst = kind.no_dst;
    op.reads_a = f.info.uses_a;
    op.uses_b =
        f.info.uses_b && !(f.opcode == Opcode::TensorCopyPredicated && get(bytes, field::BImmediate) != 0);
    if (f.info.b_elements != 0) op.b_count = {f.info.b_elements, 1, 1, 1};

    std::uint32_t partitions = f.partitions, dst_partitions = f.partitions, axes = 4;
    if (f.info.dst_elements != 0) op.dst_count = {f.info.dst_elements, 1, 1, 1};
    if (one_block(f, quadrant)) {
        op.dst_count = {f.partitions, 1, 1, 1};
        dst_partitions = static_cast<std::uint32_t>(elements_of(f.count));
    }
    if (f.opcode == Opcode::TensorReduce) {
        axes = get32(bytes, field::ReduceAxes);
        std::fill_n(op.dst_count.begin(), std::min(axes, 4U), 1U);
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

    const bool imm0 = takes_imm0(f, bytes);
    finish(op, bytes, geometry, partitions, dst_partitions, {imm0, takes_imm1(f, bytes)});
    return op;
}

ElementOperation decode_scalar(const InstructionBytes& bytes, const Geometry& geometry) {
    const Fields f(bytes);
    ElementOperation op = operands(f, bytes, geometry);
    op.reads_a = f.opcode != Opcode::ActReadAccumulator;
    op.reuse_words = true;
    std::array<bool, 2> used{};
    const auto takes = [](AluOp operation, bool reverse) { return operation != AluOp::Bypass || reverse; };
    if (f.opcode == Opcode::Activation || f.opcode == Opcode::ActivationReduce) used = {true, true};
    if (f.opcode == Opcode::TensorScalar) used = {takes(f.op0, f.reverse0), takes(f.op1, f.reverse1)};
    finish(op, bytes, geometry, f.partitions, f.partitions, used);
    return op;
}

}  // namespace trnsim::tlm::core_fast
