// The operations of the Vector engine on vectors, once for each instruction set. Operands are canonical: no
// subnormals, one NaN.
#include "isa/isa_tables.hpp"
#include "model/values/kernels/vector-inl.hpp"

#if defined(TRNSIM_FAST_OPERATIONS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TRNSIM_FAST_OPERATIONS_INL
#undef TRNSIM_FAST_OPERATIONS_INL
#else
#define TRNSIM_FAST_OPERATIONS_INL
#endif

HWY_BEFORE_NAMESPACE();
namespace trnsim::fast::kernels::HWY_NAMESPACE {

template <typename Mask>
HWY_ATTR VF truth(Mask mask) {
    return hn::IfThenElseZero(mask, hn::Set(F(), 1.0F));
}
// A NaN counts as true.
HWY_ATTR inline auto is_true(VF x) {
    return hn::Not(hn::Eq(x, hn::Zero(F())));
}
// Zeros are ordered by their sign: +0 is more.
HWY_ATTR inline VF maximum(VF x, VF y) {
    const VF more = hn::IfThenElse(hn::Gt(x, y), x, hn::IfThenElse(hn::Eq(x, y), hn::And(x, y), y));
    return hn::IfThenElse(hn::And(hn::Eq(x, x), hn::Eq(y, y)), more, nan_vector());
}
HWY_ATTR inline VF minimum(VF x, VF y) {
    const VF less = hn::IfThenElse(hn::Lt(x, y), x, hn::IfThenElse(hn::Eq(x, y), hn::Or(x, y), y));
    return hn::IfThenElse(hn::And(hn::Eq(x, x), hn::Eq(y, y)), less, nan_vector());
}

// Calls use(operation) with a function of two vectors. Returns false if `op` is no operation on fp32 values.
template <typename Use>
HWY_ATTR bool with_operation(isa::AluOp op, Use use) {
    using isa::AluOp;
    switch (op) {
        case AluOp::Bypass:
            return use([](VF x, VF) HWY_ATTR { return x; }), true;
        case AluOp::Add:
            return use([](VF x, VF y) HWY_ATTR { return canonical(hn::Add(x, y)); }), true;
        case AluOp::Subtract:
            return use([](VF x, VF y) HWY_ATTR { return canonical(hn::Sub(x, y)); }), true;
        case AluOp::Multiply:
            return use([](VF x, VF y) HWY_ATTR { return canonical(hn::Mul(x, y)); }), true;
        case AluOp::Max:
            return use([](VF x, VF y) HWY_ATTR { return maximum(x, y); }), true;
        case AluOp::Min:
            return use([](VF x, VF y) HWY_ATTR { return minimum(x, y); }), true;
        case AluOp::IsEqual:
            return use([](VF x, VF y) HWY_ATTR { return truth(hn::Eq(x, y)); }), true;
        case AluOp::NotEqual:
            return use([](VF x, VF y) HWY_ATTR { return truth(hn::Not(hn::Eq(x, y))); }), true;
        case AluOp::Greater:
            return use([](VF x, VF y) HWY_ATTR { return truth(hn::Gt(x, y)); }), true;
        case AluOp::GreaterEqual:
            return use([](VF x, VF y) HWY_ATTR { return truth(hn::Ge(x, y)); }), true;
        case AluOp::Less:
            return use([](VF x, VF y) HWY_ATTR { return truth(hn::Lt(x, y)); }), true;
        case AluOp::LessEqual:
            return use([](VF x, VF y) HWY_ATTR { return truth(hn::Le(x, y)); }), true;
        case AluOp::LogicalAnd:
            return use([](VF x, VF y) HWY_ATTR { return truth(hn::And(is_true(x), is_true(y))); }), true;
        case AluOp::LogicalOr:
            return use([](VF x, VF y) HWY_ATTR { return truth(hn::Or(is_true(x), is_true(y))); }), true;
        case AluOp::LogicalXor:
            return use([](VF x, VF y) HWY_ATTR { return truth(hn::Xor(is_true(x), is_true(y))); }), true;
        case AluOp::LogicalNot:
            return use([](VF x, VF) HWY_ATTR { return truth(hn::Eq(x, hn::Zero(F()))); }), true;
        case AluOp::Abs:
            return use([](VF x, VF) HWY_ATTR { return hn::Abs(x); }), true;
        case AluOp::Reciprocal:
            return use([](VF x, VF) HWY_ATTR { return canonical(hn::Div(hn::Set(F(), 1.0F), x)); }), true;
        case AluOp::AbsMax:
            return use([](VF x, VF y) HWY_ATTR { return maximum(hn::Abs(x), hn::Abs(y)); }), true;
        case AluOp::AbsMin:
            return use([](VF x, VF y) HWY_ATTR { return minimum(hn::Abs(x), hn::Abs(y)); }), true;
        case AluOp::Square:
            return use([](VF x, VF) HWY_ATTR { return canonical(hn::Mul(x, x)); }), true;
        case AluOp::Relu:
            return use([](VF x, VF) HWY_ATTR { return maximum(x, hn::Zero(F())); }), true;
        default:
            return false;
    }
}

// The same for operations on bits.
template <typename Use>
HWY_ATTR bool with_bit_operation(isa::AluOp op, Use use) {
    using isa::AluOp;
    switch (op) {
        case AluOp::Bypass:
            return use([](VU x, VU) HWY_ATTR { return x; }), true;
        case AluOp::BitwiseAnd:
            return use([](VU x, VU y) HWY_ATTR { return hn::And(x, y); }), true;
        case AluOp::BitwiseOr:
            return use([](VU x, VU y) HWY_ATTR { return hn::Or(x, y); }), true;
        case AluOp::BitwiseXor:
            return use([](VU x, VU y) HWY_ATTR { return hn::Xor(x, y); }), true;
        case AluOp::BitwiseNot:
            return use([](VU x, VU) HWY_ATTR { return hn::Not(x); }), true;
        case AluOp::ShiftLeft:
            return use([](VU x, VU y) HWY_ATTR {
                       const auto within = hn::Eq(hn::And(y, hn::Set(U(), 31)), y);
                       return hn::IfThenElseZero(within, hn::Shl(x, hn::And(y, hn::Set(U(), 31))));
                   }),
                   true;
        case AluOp::ShiftRight:
            return use([](VU x, VU y) HWY_ATTR {
                       const auto within = hn::Eq(hn::And(y, hn::Set(U(), 31)), y);
                       return hn::IfThenElseZero(within, hn::Shr(x, hn::And(y, hn::Set(U(), 31))));
                   }),
                   true;
        default:
            return false;
    }
}

}  // namespace trnsim::fast::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
