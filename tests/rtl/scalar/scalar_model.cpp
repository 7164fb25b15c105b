#include "tests/rtl/scalar/scalar_model.hpp"

#include "arch/activation/activation.hpp"
#include "arch/numerics/arithmetic.hpp"
#include "arch/numerics/format.hpp"

namespace trnsim::test {
namespace {

namespace field = isa::field;
using isa::AluOp;
using isa::Instruction;
using isa::Opcode;
using isa::ReduceCmd;

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

std::uint32_t offset_of(const View& v, std::uint64_t element, const Instruction& i) {
    std::int64_t offset = v.offset;
    const isa::Field* counts[] = {&field::Count0, &field::Count1, &field::Count2, &field::Count3};
    for (int k = 0; k < 4; ++k) {
        const std::uint64_t count = i.get(*counts[k]);
        offset += static_cast<std::int64_t>(element % count) * v.step[k];
        element /= count;
    }
    return static_cast<std::uint32_t>(offset);
}

float operate(std::uint64_t op, bool reverse, float x, float y) {
    switch (static_cast<AluOp>(op)) {
        case AluOp::Add:
            return numerics::add(x, y);
        case AluOp::Multiply:
            return numerics::multiply(x, y);
        default:
            return reverse ? y : x;
    }
}

}  // namespace

std::uint64_t elements(const Instruction& i) {
    if (i.opcode() == Opcode::ActTableLoad) return 0;
    return i.get(field::Count0) * i.get(field::Count1) * i.get(field::Count2) * i.get(field::Count3);
}

void ScalarModel::execute(const Instruction& i) {
    if (i.opcode() == Opcode::ActTableLoad) return;
    const auto partitions = static_cast<unsigned>(i.get(field::Partitions));
    const View dst = view(i.get(field::DstAddr), i.get(field::DstDtype),
                          {i.get_signed(field::DstStep0), i.get_signed(field::DstStep1),
                           i.get_signed(field::DstStep2), i.get_signed(field::DstStep3)});
    const bool reads = i.opcode() != Opcode::ActReadAccumulator;
    View a{};
    if (reads) {
        a = view(i.get(field::AAddr), i.get(field::ADtype),
                 {i.get_signed(field::AStep0), i.get_signed(field::AStep1), i.get_signed(field::AStep2),
                  i.get_signed(field::AStep3)});
    }
    const bool activation = i.opcode() == Opcode::Activation || i.opcode() == Opcode::ActivationReduce;
    const auto rounding = static_cast<isa::Rounding>(i.get(field::Rounding));
    const bool stochastic =
        rounding == isa::Rounding::Stochastic || (rounding == isa::Rounding::Core && sr_enable);
    // The immediates of all lanes are read before anything is written.
    std::array<float, Lanes> imm[2]{};
    const isa::Field* values[] = {&field::Imm0, &field::Imm1};
    const isa::Field* vectors[] = {&field::Imm0Vector, &field::Imm1Vector};
    const bool has_immediates = activation || i.opcode() == Opcode::TensorScalar;
    for (int k = 0; has_immediates && k < 2; ++k) {
        const auto value = static_cast<std::uint32_t>(i.get(*values[k]));
        const std::uint64_t code = activation && k == 1 ? i.get(field::BiasDtype) : 0;
        const auto dtype = code == 0 ? isa::Dtype::Fp32 : static_cast<isa::Dtype>(code);
        const auto bytes = static_cast<unsigned>(numerics::storage_bytes(dtype));
        for (unsigned lane = 0; lane < partitions; ++lane) {
            const std::uint32_t bits =
                i.get(*vectors[k]) == 0 ? value
                                        : memories.load(false, (value >> 18) + lane, value & 0x3ffff, bytes);
            imm[k][lane] = numerics::to_fp32(bits, dtype);
        }
    }
    const auto command = activation ? static_cast<ReduceCmd>(i.get(field::ReduceCmd)) : ReduceCmd::Idle;
    for (std::uint64_t element = 0; element < elements(i); ++element) {
        for (unsigned lane = 0; lane < partitions; ++lane) {
            float x = 0;
            if (reads)
                x = numerics::to_fp32(
                    memories.load(a.psum, a.partition + lane, offset_of(a, element, i), a.bytes), a.dtype);
            float y = x;
            if (activation) {
                y = activation::activate(static_cast<isa::Activation>(i.get(field::ActFunction)),
                                         numerics::fma_step(x, imm[0][lane], imm[1][lane]),
                                         i.get_float(field::Alpha));
                if (element == 0 && command == ReduceCmd::Reset) accumulators[lane] = 0;
                if (element == 0 && command == ReduceCmd::ResetReduce)
                    accumulators[lane] = y;
                else if (command == ReduceCmd::Reduce || command == ReduceCmd::ResetReduce)
                    accumulators[lane] = numerics::add(accumulators[lane], y);
            } else if (i.opcode() == Opcode::TensorScalar) {
                y = operate(i.get(field::Op0), i.get(field::Reverse0) != 0, x, imm[0][lane]);
                y = operate(i.get(field::Op1), i.get(field::Reverse1) != 0, y, imm[1][lane]);
            } else if (!reads) {
                y = accumulators[lane];
            }
            std::uint32_t bits = 0;
            if (stochastic && numerics::rounds_stochastically(dst.dtype))
                bits = numerics::from_fp32(y, dst.dtype, generators[lane].draw());
            else
                bits = numerics::from_fp32(y, dst.dtype);
            memories.store(dst.psum, dst.partition + lane, offset_of(dst, element, i), dst.bytes, bits);
        }
    }
}

}  // namespace trnsim::test
