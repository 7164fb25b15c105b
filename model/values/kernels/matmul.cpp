// Chains of the Tensor engine: blocks of results stay in registers over all rows.
#include <algorithm>
#include <utility>

#include "model/values/kernels/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/values/kernels/matmul.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "model/values/kernels/vector-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace trnsim::fast::kernels::HWY_NAMESPACE {

// Columns that fit the registers with two vectors of elements each.
constexpr std::size_t TileColumns = hn::MaxLanes(F()) == 16 ? 8 : 4;

struct Out {
    float* first;
    std::size_t pitch;
    bool accumulate;
};

// Writes `count` results of a vector.
HWY_ATTR inline void put(VF chain, bool accumulate, float* out, std::size_t count, VF& nans) {
    alignas(Padding) float part[Padding / sizeof(float)];
    const bool whole = count >= hn::Lanes(F());
    float* place = whole ? out : part;
    if (!whole) std::copy_n(out, count, part);
    const VF value = canonical(accumulate ? hn::Add(hn::LoadU(F(), place), chain) : chain);
    const VF seen = whole ? value : hn::IfThenElseZero(hn::FirstN(F(), count), value);
    nans = hn::IfThenElse(hn::Eq(seen, seen), nans, seen);
    hn::StoreU(value, F(), place);
    if (!whole) std::copy_n(part, count, out);
}

template <std::size_t... Column>
HWY_ATTR HWY_INLINE void multiply_tile(const float* stationary, const float* moving, std::size_t rows,
                                       std::size_t columns, std::size_t elements, const Out& out, VF& nans,
                                       std::index_sequence<Column...>) {
    const std::size_t lanes = hn::Lanes(F());
    VF left[sizeof...(Column)] = {((void)Column, hn::Zero(F()))...};
    VF right[sizeof...(Column)] = {((void)Column, hn::Zero(F()))...};
    for (std::size_t m = 0; m < std::min(columns, sizeof...(Column)); ++m) {
        hwy::Prefetch(out.first + m * out.pitch);
        hwy::Prefetch(out.first + m * out.pitch + lanes);
    }
    for (std::size_t k = 0; k < rows; ++k) {
        const VF x0 = hn::Load(F(), moving), x1 = hn::Load(F(), moving + lanes);
        ((left[Column] = hn::MulAdd(hn::Set(F(), stationary[Column]), x0, left[Column]),
          right[Column] = hn::MulAdd(hn::Set(F(), stationary[Column]), x1, right[Column])),
         ...);
        stationary += BlockColumns;
        moving += BlockElements;
    }
    const auto finish = [&](std::size_t column, VF first, VF second) HWY_ATTR {
        if (column >= columns) return;
        float* to = out.first + column * out.pitch;
        put(first, out.accumulate, to, elements, nans);
        if (elements > lanes) put(second, out.accumulate, to + lanes, elements - lanes, nans);
    };
    (finish(Column, left[Column], right[Column]), ...);
}

HWY_ATTR bool multiply_on_target(const float* stationary, const float* moving, std::size_t rows,
                                 std::size_t columns, std::size_t elements, bool accumulate, float* out,
                                 std::size_t pitch) {
    const std::size_t width = 2 * hn::Lanes(F());
    VF nans = hn::Zero(F());
    for (std::size_t n = 0; n < elements; n += width) {
        for (std::size_t m = 0; m < columns; m += TileColumns) {
            multiply_tile(stationary + m, moving + n, rows, columns - m, elements - n,
                          {out + m * pitch + n, pitch, accumulate}, nans,
                          std::make_index_sequence<TileColumns>());
        }
    }
    return !hn::AllFalse(F(), hn::IsNaN(nans));
}

HWY_ATTR void split_on_target(const float* values, float* low, float* finite_high, float* high,
                              std::size_t count) {
    for (std::size_t i = 0; i < count; i += hn::Lanes(F())) {
        const VF value = hn::Load(F(), values + i);
        const VF upper = hn::And(value, hn::BitCast(F(), hn::Set(U(), 0xfffff000U)));
        const auto finite = hn::IsFinite(value);
        const VF rest = hn::CopySign(hn::Sub(value, upper), value);
        hn::Store(hn::IfThenElseZero(finite, rest), F(), low + i);
        hn::Store(hn::IfThenElseZero(finite, upper), F(), finite_high + i);
        hn::Store(upper, F(), high + i);
    }
}

}  // namespace trnsim::fast::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trnsim::fast::kernels {

HWY_EXPORT(multiply_on_target);
HWY_EXPORT(split_on_target);

bool multiply(const float* stationary, const float* moving, std::size_t rows, std::size_t columns,
              std::size_t elements, bool accumulate, float* out, std::size_t out_pitch) {
    return HWY_DYNAMIC_DISPATCH(multiply_on_target)(stationary, moving, rows, columns, elements, accumulate,
                                                    out, out_pitch);
}

void split(const float* values, float* low, float* finite_high, float* high, std::size_t count) {
    HWY_DYNAMIC_DISPATCH(split_on_target)(values, low, finite_high, high, count);
}

}  // namespace trnsim::fast::kernels
#endif
