// Chains from one element of a lane to the next: a vector holds lanes, not elements.
#include <stdexcept>

#include "model/values/kernels/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/values/kernels/chains.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "model/values/kernels/operations-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace trnsim::fast::kernels::HWY_NAMESPACE {

// Returns the offsets of element i in lanes `lane` and after.
HWY_ATTR inline VI row_offsets(std::size_t lane) {
    const VI rows = hn::Add(hn::Iota(I(), 0), hn::Set(I(), static_cast<std::int32_t>(lane)));
    return hn::Mul(rows, hn::Set(I(), static_cast<std::int32_t>(RowPitch)));
}

template <typename D, typename Value, typename Operation>
HWY_ATTR void reduce_all(D d, Operation operation, const Value* values, Value* state, std::size_t count) {
    for (std::size_t lane = 0; lane < Lanes; lane += hn::Lanes(d)) {
        const VI rows = row_offsets(lane);
        auto result = hn::Load(d, state + lane);
        for (std::size_t i = 0; i < count; ++i)
            result = operation(result, hn::GatherIndex(d, values + i, rows));
        hn::Store(result, d, state + lane);
    }
}

HWY_ATTR bool reduce_on_target(isa::AluOp op, const float* values, float* state, std::size_t count) {
    return with_operation(op,
                          [=](auto operation) HWY_ATTR { reduce_all(F(), operation, values, state, count); });
}

HWY_ATTR bool reduce_bits_on_target(isa::AluOp op, const std::uint32_t* values, std::uint32_t* state,
                                    std::size_t count) {
    return with_bit_operation(
        op, [=](auto operation) HWY_ATTR { reduce_all(U(), operation, values, state, count); });
}

HWY_ATTR bool accumulate_on_target(ScanOperation op, float* x, float* state, std::size_t count) {
    return with_operation(op.op, [=](auto operation) HWY_ATTR {
        for (std::size_t lane = 0; lane < Lanes; lane += hn::Lanes(F())) {
            const VI rows = row_offsets(lane);
            VF result = hn::Load(F(), state + lane);
            for (std::size_t i = 0; i < count; ++i) {
                const VF value = hn::GatherIndex(F(), x + i, rows);
                result = op.reverse ? operation(value, result) : operation(result, value);
                hn::ScatterIndex(result, F(), x + i, rows);
            }
            hn::Store(result, F(), state + lane);
        }
    });
}

// One step of two operations, one after the other. The inner one is called through a function pointer: a scan
// waits for its own result anyway, and two operations give too many pairs to compile each.
using Step = void (*)(VF&, const VF&, bool);

HWY_ATTR Step step_of(isa::AluOp op) {
    Step found = nullptr;
    with_operation(op, [&](auto operation) HWY_ATTR {
        found = [](VF& value, const VF& other, bool reverse) HWY_ATTR {
            value = reverse ? decltype(operation){}(other, value) : decltype(operation){}(value, other);
        };
    });
    return found;
}

HWY_ATTR bool scan_on_target(ScanOperation first, ScanOperation second, const float* x, float* y,
                             float* state, std::size_t count) {
    const Step one = step_of(first.op), two = step_of(second.op);
    if (one == nullptr || two == nullptr) return false;
    for (std::size_t lane = 0; lane < Lanes; lane += hn::Lanes(F())) {
        const VI rows = row_offsets(lane);
        VF running = hn::Load(F(), state + lane);
        for (std::size_t i = 0; i < count; ++i) {
            VF value = hn::GatherIndex(F(), x + i, rows);
            one(value, running, first.reverse);
            two(value, hn::GatherIndex(F(), y + i, rows), second.reverse);
            running = value;
            hn::ScatterIndex(running, F(), y + i, rows);
        }
        hn::Store(running, F(), state + lane);
    }
    return true;
}

HWY_ATTR void take_statistics_on_target(const float* values, std::size_t first, std::size_t count,
                                        const float* reciprocals, Statistics& statistics) {
    for (std::size_t lane = 0; lane < Lanes; lane += hn::Lanes(F())) {
        const VI rows = row_offsets(lane);
        VF mean = hn::Load(F(), statistics.mean + lane), m2 = hn::Load(F(), statistics.m2 + lane);
        auto k = static_cast<std::size_t>(statistics.count[lane]);
        for (std::size_t i = first; i < count; i += 2) {
            const VF x = hn::GatherIndex(F(), values + i, rows);
            const VF d = hn::Sub(x, mean);
            mean = hn::Add(mean, hn::Mul(d, hn::Set(F(), reciprocals[++k])));
            m2 = hn::Add(m2, hn::Mul(d, hn::Sub(x, mean)));
        }
        hn::Store(canonical(mean), F(), statistics.mean + lane);
        hn::Store(canonical(m2), F(), statistics.m2 + lane);
        hn::Store(hn::Set(F(), static_cast<float>(k)), F(), statistics.count + lane);
    }
}

HWY_ATTR void merge_statistics_on_target(const float* triples, std::size_t count, Statistics& statistics) {
    const VF one = hn::Set(F(), 1.0F);
    for (std::size_t lane = 0; lane < Lanes; lane += hn::Lanes(F())) {
        const VI rows = row_offsets(lane);
        VF n = hn::Load(F(), statistics.count + lane), mean = hn::Load(F(), statistics.mean + lane);
        VF m2 = hn::Load(F(), statistics.m2 + lane);
        for (std::size_t i = 0; i < count; i += 3) {
            const VF more = hn::GatherIndex(F(), triples + i, rows);
            const VF total = hn::Add(n, more);
            const VF share = hn::Mul(more, hn::Div(one, total));
            const VF w = hn::IfThenElse(hn::Eq(total, hn::Zero(F())), hn::Zero(F()), share);
            const VF d = hn::Sub(hn::GatherIndex(F(), triples + i + 1, rows), mean);
            const VF both = hn::Add(m2, hn::GatherIndex(F(), triples + i + 2, rows));
            m2 = hn::Add(both, hn::Mul(hn::Mul(d, n), hn::Mul(d, w)));
            mean = hn::Add(mean, hn::Mul(d, w));
            n = total;
        }
        hn::Store(canonical(n), F(), statistics.count + lane);
        hn::Store(canonical(mean), F(), statistics.mean + lane);
        hn::Store(canonical(m2), F(), statistics.m2 + lane);
    }
}

}  // namespace trnsim::fast::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trnsim::fast::kernels {

HWY_EXPORT(reduce_on_target);
HWY_EXPORT(reduce_bits_on_target);
HWY_EXPORT(accumulate_on_target);
HWY_EXPORT(scan_on_target);
HWY_EXPORT(take_statistics_on_target);
HWY_EXPORT(merge_statistics_on_target);

namespace {

void require(bool known) {
    if (!known) throw std::invalid_argument("not an operation of the Vector engine");
}

}  // namespace

void reduce(isa::AluOp op, const float* values, float* state, std::size_t count) {
    require(HWY_DYNAMIC_DISPATCH(reduce_on_target)(op, values, state, count));
}

void reduce(isa::AluOp op, const std::uint32_t* values, std::uint32_t* state, std::size_t count) {
    require(HWY_DYNAMIC_DISPATCH(reduce_bits_on_target)(op, values, state, count));
}

void accumulate(ScanOperation op, float* x, float* state, std::size_t count) {
    require(HWY_DYNAMIC_DISPATCH(accumulate_on_target)(op, x, state, count));
}

void scan(ScanOperation first, ScanOperation second, const float* x, float* y, float* state,
          std::size_t count) {
    require(HWY_DYNAMIC_DISPATCH(scan_on_target)(first, second, x, y, state, count));
}

void take_statistics(const float* values, std::size_t first, std::size_t count, const float* reciprocals,
                     Statistics& statistics) {
    HWY_DYNAMIC_DISPATCH(take_statistics_on_target)(values, first, count, reciprocals, statistics);
}

void merge_statistics(const float* triples, std::size_t count, Statistics& statistics) {
    HWY_DYNAMIC_DISPATCH(merge_statistics_on_target)(triples, count, statistics);
}

}  // namespace trnsim::fast::kernels
#endif
