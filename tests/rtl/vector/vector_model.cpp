#include "tests/rtl/vector/vector_model.hpp"

#include <cmath>
#include <optional>
#include <stdexcept>

#include "testbench/numerics/arithmetic.hpp"
#include "testbench/numerics/format.hpp"

namespace trnsim::test {
namespace {

namespace field = isa::field;
using isa::AluOp;
using isa::Instruction;
using isa::Opcode;

struct View {
    bool psum;
    unsigned partition;
    std::int64_t offset;
    std::array<std::int64_t, 4> step;  // bytes
    isa::Dtype dtype;
    unsigned bytes;
};

View view(std::uint64_t address, std::uint64_t dtype, std::array<std::int64_t, 4> step) {
    View v{};
    v.psum = address >= PsumBase;
    v.partition = static_cast<unsigned>(v.psum ? (address - PsumBase) / PsumBytes : address >> 18);
    v.offset = static_cast<std::int64_t>(v.psum ? address % PsumBytes : address & 0x3ffff);
    v.dtype = static_cast<isa::Dtype>(dtype);
    v.bytes = static_cast<unsigned>(numerics::storage_bytes(v.dtype));
    for (int k = 0; k < 4; ++k) v.step[k] = step[k] * v.bytes;
    return v;
}

std::array<std::uint64_t, 4> counts(const Instruction& i) {
    return {i.get(field::Count0), i.get(field::Count1), i.get(field::Count2), i.get(field::Count3)};
}

std::uint32_t offset_of(const View& v, std::uint64_t element, const std::array<std::uint64_t, 4>& count) {
    std::int64_t offset = v.offset;
    for (int k = 0; k < 4; ++k) {
        offset += static_cast<std::int64_t>(element % count[k]) * v.step[k];
        element /= count[k];
    }
    return static_cast<std::uint32_t>(offset);
}

float apply(AluOp op, bool reverse, float x, float y) {
    if (reverse) std::swap(x, y);
    switch (op) {
        case AluOp::Bypass:
            return x;
        case AluOp::Add:
            return numerics::add(x, y);
        case AluOp::Subtract:
            return numerics::subtract(x, y);
        case AluOp::Multiply:
            return numerics::multiply(x, y);
        case AluOp::Max:
            return numerics::maximum(x, y);
        case AluOp::Min:
            return numerics::minimum(x, y);
        case AluOp::Abs:
            return std::isnan(x) ? x : std::fabs(x);
        case AluOp::Square:
            return numerics::multiply(x, x);
        case AluOp::Relu:
            return std::isnan(x) || x > 0.0f ? x : 0.0f;
        default:
            throw std::invalid_argument("operation without a model");
    }
}

// The immediates of all lanes, read before anything is written.
std::array<float, Lanes> immediate(const Memories& memories, std::uint64_t value, bool vector,
                                   unsigned partitions) {
    std::array<float, Lanes> lanes{};
    for (unsigned lane = 0; lane < partitions; ++lane) {
        const std::uint32_t bits =
            !vector ? static_cast<std::uint32_t>(value)
                    : memories.load(false, static_cast<unsigned>(value >> 18) + lane, value & 0x3ffff, 4);
        lanes[lane] = numerics::to_fp32(bits, isa::Dtype::Fp32);
    }
    return lanes;
}

}  // namespace

std::uint64_t elements(const Instruction& instruction) {
    const auto count = counts(instruction);
    return count[0] * count[1] * count[2] * count[3];
}

void execute(const Instruction& i, Memories& memories) {
    const auto count = counts(i);
    const auto partitions = static_cast<unsigned>(i.get(field::Partitions));
    const Opcode opcode = i.opcode();
    const bool is_binary = opcode == Opcode::TensorTensor || opcode == Opcode::ScalarTensorTensor;
    const View dst = view(i.get(field::DstAddr), i.get(field::DstDtype),
                          {i.get_signed(field::DstStep0), i.get_signed(field::DstStep1),
                           i.get_signed(field::DstStep2), i.get_signed(field::DstStep3)});
    const View a = view(i.get(field::AAddr), i.get(field::ADtype),
                        {i.get_signed(field::AStep0), i.get_signed(field::AStep1),
                         i.get_signed(field::AStep2), i.get_signed(field::AStep3)});
    std::optional<View> b;
    if (is_binary) {
        b = view(i.get(field::BAddr), i.get(field::BDtype),
                 {i.get_signed(field::BStep0), i.get_signed(field::BStep1), i.get_signed(field::BStep2),
                  i.get_signed(field::BStep3)});
    }
    const auto imm0 = immediate(memories, i.get(field::Imm0),
                                opcode != Opcode::TensorTensor && i.get(field::Imm0Vector), partitions);
    const auto imm1 = immediate(memories, i.get(field::Imm1),
                                opcode == Opcode::TensorScalar && i.get(field::Imm1Vector), partitions);
    const auto op0 = static_cast<AluOp>(i.get(field::Op0));
    const auto op1 = static_cast<AluOp>(i.get(field::Op1));
    const bool reverse0 = i.get(field::Reverse0);
    const bool reverse1 = i.get(field::Reverse1);

    for (std::uint64_t element = 0; element < elements(i); ++element) {
        for (unsigned lane = 0; lane < partitions; ++lane) {
            const std::uint32_t a_bits =
                memories.load(a.psum, a.partition + lane, offset_of(a, element, count), a.bytes);
            const float x = numerics::to_fp32(a_bits, a.dtype);
            float y = 0.0f;
            if (b)
                y = numerics::to_fp32(
                    memories.load(b->psum, b->partition + lane, offset_of(*b, element, count), b->bytes),
                    b->dtype);
            std::uint32_t bits = 0;
            switch (opcode) {
                case Opcode::TensorCopy:
                    bits = a.dtype == dst.dtype ? a_bits : numerics::from_fp32(x, dst.dtype);
                    break;
                case Opcode::Memset:
                    bits = numerics::from_fp32(imm0[lane], dst.dtype);
                    break;
                case Opcode::TensorTensor:
                    bits = numerics::from_fp32(apply(op0, reverse0, x, y), dst.dtype);
                    break;
                case Opcode::TensorScalar:
                    bits = numerics::from_fp32(
                        apply(op1, reverse1, apply(op0, reverse0, x, imm0[lane]), imm1[lane]), dst.dtype);
                    break;
                case Opcode::ScalarTensorTensor:
                    bits = numerics::from_fp32(apply(op1, reverse1, apply(op0, reverse0, x, imm0[lane]), y),
                                               dst.dtype);
                    break;
                default:
                    throw std::invalid_argument("instruction without a model");
            }
            memories.store(dst.psum, dst.partition + lane, offset_of(dst, element, count), dst.bytes, bits);
        }
    }
}

}  // namespace trnsim::test
