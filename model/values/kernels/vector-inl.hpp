// The shared parts of the kernels, once for each instruction set; included between HWY_BEFORE_NAMESPACE and
// the kernels.
#include "arch/numerics/format.hpp"
#include "hwy/highway.h"

#if defined(TRNSIM_FAST_VECTOR_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TRNSIM_FAST_VECTOR_INL
#undef TRNSIM_FAST_VECTOR_INL
#else
#define TRNSIM_FAST_VECTOR_INL
#endif

HWY_BEFORE_NAMESPACE();
namespace trnsim::fast::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Better instruction sets have smaller numbers; those from AVX2 on have fused multiply-add.
static_assert(HWY_TARGET <= HWY_AVX2, "the contract needs fused multiply-add");

using F = hn::ScalableTag<float>;
using U = hn::ScalableTag<std::uint32_t>;
using I = hn::ScalableTag<std::int32_t>;
using VF = hn::Vec<F>;
using VU = hn::Vec<U>;
using VI = hn::Vec<I>;

inline HWY_ATTR VF nan_vector() {
    return hn::BitCast(F(), hn::Set(U(), numerics::CanonicalNan));
}
inline HWY_ATTR VF canonical(VF value) {
    return hn::IfThenElse(hn::Eq(value, value), value, nan_vector());
}
// Returns an fp32 operand: NaN is canonical, subnormals are zero of their sign.
inline HWY_ATTR VF operand(VF value) {
    const VF sign = hn::And(value, hn::BitCast(F(), hn::Set(U(), 0x80000000U)));
    const auto normal = hn::Ge(hn::Abs(value), hn::Set(F(), 0x1p-126F));
    return hn::IfThenElse(hn::Eq(value, value), hn::IfThenElse(normal, value, sign), nan_vector());
}

}  // namespace trnsim::fast::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
