#include "firmware/microcode/alu.hpp"

namespace trnsim::firmware {

bool has_integer(AluOp op) {
    return op <= AluOp::Relu && op != AluOp::Reciprocal && op != AluOp::Rsqrt && op != AluOp::Power;
}

bool has_float(AluOp op) {
    return op <= AluOp::Relu && (op < AluOp::BitwiseAnd || op > AluOp::ShiftRight);
}

bool is_comparison(AluOp op) {
    return op >= AluOp::IsEqual && op <= AluOp::LessEqual;
}

namespace {

Ints truth(Mask mask, size_t vl) {
    return __riscv_vmerge(__riscv_vmv_v_x_i32m4(0, vl), 1, mask, vl);
}

Floats truth_float(Mask mask, size_t vl) {
    return __riscv_vfmerge(__riscv_vfmv_v_f_f32m4(0, vl), 1.0F, mask, vl);
}

Mask less(Ints a, Ints b, bool is_unsigned, size_t vl) {
    return is_unsigned ? __riscv_vmsltu(as_bits(a), as_bits(b), vl) : __riscv_vmslt(a, b, vl);
}

Ints maximum(Ints a, Ints b, bool is_unsigned, size_t vl) {
    return is_unsigned ? as_ints(__riscv_vmaxu(as_bits(a), as_bits(b), vl)) : __riscv_vmax(a, b, vl);
}

Ints minimum(Ints a, Ints b, bool is_unsigned, size_t vl) {
    return is_unsigned ? as_ints(__riscv_vminu(as_bits(a), as_bits(b), vl)) : __riscv_vmin(a, b, vl);
}

Ints magnitude(Ints a, bool is_unsigned, size_t vl) {
    return is_unsigned ? a : __riscv_vmax(a, __riscv_vneg(a, vl), vl);
}

Ints shift(bool left, Ints a, Ints b, size_t vl) {
    const Bits amount = as_bits(b);
    const Bits shifted = left ? __riscv_vsll(as_bits(a), amount, vl) : __riscv_vsrl(as_bits(a), amount, vl);
    return as_ints(__riscv_vmerge(shifted, 0, __riscv_vmsgtu(amount, 31, vl), vl));
}

}  // namespace

Ints alu(AluOp op, Ints a, Ints b, bool is_unsigned, size_t vl) {
    const auto is_true = [vl](Ints v) { return __riscv_vmsne(v, 0, vl); };
    switch (op) {
        case AluOp::Add:
            return __riscv_vadd(a, b, vl);
        case AluOp::Subtract:
            return __riscv_vsub(a, b, vl);
        case AluOp::Multiply:
            return __riscv_vmul(a, b, vl);
        case AluOp::Max:
            return maximum(a, b, is_unsigned, vl);
        case AluOp::Min:
            return minimum(a, b, is_unsigned, vl);
        case AluOp::IsEqual:
            return truth(__riscv_vmseq(a, b, vl), vl);
        case AluOp::NotEqual:
            return truth(__riscv_vmsne(a, b, vl), vl);
        case AluOp::Greater:
            return truth(less(b, a, is_unsigned, vl), vl);
        case AluOp::GreaterEqual:
            return truth(__riscv_vmnot(less(a, b, is_unsigned, vl), vl), vl);
        case AluOp::Less:
            return truth(less(a, b, is_unsigned, vl), vl);
        case AluOp::LessEqual:
            return truth(__riscv_vmnot(less(b, a, is_unsigned, vl), vl), vl);
        case AluOp::LogicalAnd:
            return truth(__riscv_vmand(is_true(a), is_true(b), vl), vl);
        case AluOp::LogicalOr:
            return truth(__riscv_vmor(is_true(a), is_true(b), vl), vl);
        case AluOp::LogicalXor:
            return truth(__riscv_vmxor(is_true(a), is_true(b), vl), vl);
        case AluOp::LogicalNot:
            return truth(__riscv_vmseq(a, 0, vl), vl);
        case AluOp::BitwiseAnd:
            return __riscv_vand(a, b, vl);
        case AluOp::BitwiseOr:
            return __riscv_vor(a, b, vl);
        case AluOp::BitwiseXor:
            return __riscv_vxor(a, b, vl);
        case AluOp::BitwiseNot:
            return __riscv_vnot(a, vl);
        case AluOp::ShiftLeft:
            return shift(true, a, b, vl);
        case AluOp::ShiftRight:
            return shift(false, a, b, vl);
        case AluOp::Abs:
            return magnitude(a, is_unsigned, vl);
        case AluOp::AbsMax:
            return maximum(magnitude(a, is_unsigned, vl), magnitude(b, is_unsigned, vl), true, vl);
        case AluOp::AbsMin:
            return minimum(magnitude(a, is_unsigned, vl), magnitude(b, is_unsigned, vl), true, vl);
        case AluOp::Square:
            return __riscv_vmul(a, a, vl);
        case AluOp::Relu:
            return is_unsigned ? a : __riscv_vmax(a, 0, vl);
        default:
            return a;
    }
}

Floats alu(AluOp op, Floats a, Floats b, size_t vl) {
    const auto is_true = [vl](Floats v) { return __riscv_vmfne(v, 0.0F, vl); };
    switch (op) {
        case AluOp::Add:
            return __riscv_vfadd(a, b, vl);
        case AluOp::Subtract:
            return __riscv_vfsub(a, b, vl);
        case AluOp::Multiply:
            return __riscv_vfmul(a, b, vl);
        case AluOp::Max:
            return __riscv_vfmax(a, b, vl);
        case AluOp::Min:
            return __riscv_vfmin(a, b, vl);
        case AluOp::IsEqual:
            return truth_float(__riscv_vmfeq(a, b, vl), vl);
        case AluOp::NotEqual:
            return truth_float(__riscv_vmfne(a, b, vl), vl);
        case AluOp::Greater:
            return truth_float(__riscv_vmflt(b, a, vl), vl);
        case AluOp::GreaterEqual:
            return truth_float(__riscv_vmfle(b, a, vl), vl);
        case AluOp::Less:
            return truth_float(__riscv_vmflt(a, b, vl), vl);
        case AluOp::LessEqual:
            return truth_float(__riscv_vmfle(a, b, vl), vl);
        case AluOp::LogicalAnd:
            return truth_float(__riscv_vmand(is_true(a), is_true(b), vl), vl);
        case AluOp::LogicalOr:
            return truth_float(__riscv_vmor(is_true(a), is_true(b), vl), vl);
        case AluOp::LogicalXor:
            return truth_float(__riscv_vmxor(is_true(a), is_true(b), vl), vl);
        case AluOp::LogicalNot:
            return truth_float(__riscv_vmnot(is_true(a), vl), vl);
        case AluOp::Abs:
            return __riscv_vfabs(a, vl);
        case AluOp::Reciprocal:
            return __riscv_vfrdiv(a, 1.0F, vl);
        case AluOp::Rsqrt:
            return __riscv_vfrdiv(__riscv_vfsqrt(a, vl), 1.0F, vl);
        case AluOp::Power:
            return power(a, b, vl);
        case AluOp::AbsMax:
            return __riscv_vfmax(__riscv_vfabs(a, vl), __riscv_vfabs(b, vl), vl);
        case AluOp::AbsMin:
            return __riscv_vfmin(__riscv_vfabs(a, vl), __riscv_vfabs(b, vl), vl);
        case AluOp::Square:
            return __riscv_vfmul(a, a, vl);
        case AluOp::Relu:
            return __riscv_vfmax(a, 0.0F, vl);
        default:
            return a;
    }
}

Mask compare_with_zero(AluOp op, Ints a, size_t vl) {
    return __riscv_vmsne(alu(op, a, __riscv_vmv_v_x_i32m4(0, vl), false, vl), 0, vl);
}

}  // namespace trnsim::firmware
