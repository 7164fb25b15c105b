// Elementwise operations.
#include <stdexcept>

#include "model/values/kernels/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/values/kernels/alu.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "model/values/kernels/operations-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace trnsim::fast::kernels::HWY_NAMESPACE {

template <typename D, typename Value, typename Operation>
HWY_ATTR void all(D d, Operation operation, const Value* x, const Value* y, Value* out, std::size_t count) {
    for (std::size_t i = 0; i < count; i += hn::Lanes(d))
        hn::Store(operation(hn::Load(d, x + i), hn::Load(d, y + i)), d, out + i);
}

template <typename D, typename Value, typename Operation>
HWY_ATTR void all(D d, Operation operation, bool reverse, const Value* x, Value constant, Value* out,
                  std::size_t count) {
    const auto y = hn::Set(d, constant);
    if (reverse) {
        for (std::size_t i = 0; i < count; i += hn::Lanes(d))
            hn::Store(operation(y, hn::Load(d, x + i)), d, out + i);
    } else {
        for (std::size_t i = 0; i < count; i += hn::Lanes(d))
            hn::Store(operation(hn::Load(d, x + i), y), d, out + i);
    }
}

HWY_ATTR bool tensors_on_target(isa::AluOp op, const float* x, const float* y, float* out,
                                std::size_t count) {
    return with_operation(op, [=](auto operation) HWY_ATTR { all(F(), operation, x, y, out, count); });
}

HWY_ATTR bool constant_on_target(isa::AluOp op, bool reverse, const float* x, float constant, float* out,
                                 std::size_t count) {
    return with_operation(
        op, [=](auto operation) HWY_ATTR { all(F(), operation, reverse, x, constant, out, count); });
}

HWY_ATTR bool tensor_bits_on_target(isa::AluOp op, const std::uint32_t* x, const std::uint32_t* y,
                                    std::uint32_t* out, std::size_t count) {
    return with_bit_operation(op, [=](auto operation) HWY_ATTR { all(U(), operation, x, y, out, count); });
}

HWY_ATTR bool constant_bits_on_target(isa::AluOp op, bool reverse, const std::uint32_t* x,
                                      std::uint32_t constant, std::uint32_t* out, std::size_t count) {
    return with_bit_operation(
        op, [=](auto operation) HWY_ATTR { all(U(), operation, reverse, x, constant, out, count); });
}

HWY_ATTR void select_on_target(const std::uint32_t* predicate, bool inverted, const float* x, float other,
                               float* out, std::size_t count) {
    const VF constant = hn::Set(F(), other);
    for (std::size_t i = 0; i < count; i += hn::Lanes(F())) {
        const auto zero = hn::RebindMask(F(), hn::Eq(hn::Load(U(), predicate + i), hn::Zero(U())));
        const VF value = hn::Load(F(), x + i);
        hn::Store(inverted ? hn::IfThenElse(zero, value, constant) : hn::IfThenElse(zero, constant, value),
                  F(), out + i);
    }
}

HWY_ATTR void scale_on_target(const float* x, float scale, float bias, float* out, std::size_t count) {
    const VF by = hn::Set(F(), scale), plus = hn::Set(F(), bias);
    for (std::size_t i = 0; i < count; i += hn::Lanes(F()))
        hn::Store(canonical(hn::MulAdd(hn::Load(F(), x + i), by, plus)), F(), out + i);
}

}  // namespace trnsim::fast::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trnsim::fast::kernels {

HWY_EXPORT(tensors_on_target);
HWY_EXPORT(constant_on_target);
HWY_EXPORT(tensor_bits_on_target);
HWY_EXPORT(constant_bits_on_target);
HWY_EXPORT(select_on_target);
HWY_EXPORT(scale_on_target);

namespace {

void require(bool known) {
    if (!known) throw std::invalid_argument("not an operation of the Vector engine");
}

}  // namespace

void operate(isa::AluOp op, const float* x, const float* y, float* out, std::size_t count) {
    require(HWY_DYNAMIC_DISPATCH(tensors_on_target)(op, x, y, out, count));
}

void operate(isa::AluOp op, bool reverse, const float* x, float constant, float* out, std::size_t count) {
    require(HWY_DYNAMIC_DISPATCH(constant_on_target)(op, reverse, x, constant, out, count));
}

void operate(isa::AluOp op, const std::uint32_t* x, const std::uint32_t* y, std::uint32_t* out,
             std::size_t count) {
    require(HWY_DYNAMIC_DISPATCH(tensor_bits_on_target)(op, x, y, out, count));
}

void operate(isa::AluOp op, bool reverse, const std::uint32_t* x, std::uint32_t constant, std::uint32_t* out,
             std::size_t count) {
    require(HWY_DYNAMIC_DISPATCH(constant_bits_on_target)(op, reverse, x, constant, out, count));
}

void select(const std::uint32_t* predicate, bool inverted, const float* x, float other, float* out,
            std::size_t count) {
    HWY_DYNAMIC_DISPATCH(select_on_target)(predicate, inverted, x, other, out, count);
}

void scale(const float* x, float scale, float bias, float* out, std::size_t count) {
    HWY_DYNAMIC_DISPATCH(scale_on_target)(x, scale, bias, out, count);
}

}  // namespace trnsim::fast::kernels
#endif
