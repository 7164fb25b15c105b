// The commands partition_reduce, partition_broadcast and sequence_bounds.
#include "firmware/microcode/columns.hpp"
#include "firmware/microcode/commands.hpp"
#include "firmware/microcode/operand.hpp"

namespace trnsim::firmware {

namespace {

constexpr int32_t Stride = 4 * Partitions;  // bytes from a column to the next

// Reduces contiguous columns: partition 0 of each gets the reduction over the core's own partitions in their
// order, divided by `divisor` if that is not 0.
using ReduceLoop = void (*)(uint32_t* to, const uint32_t* from, const OwnPartitions& own, float divisor,
                            uint32_t columns);

// Each lane reduces one column.
template <class V, auto Op, bool FromMinusZero = false>
void reduce(uint32_t* to, const uint32_t* from, const OwnPartitions& own, float divisor, uint32_t columns) {
    constexpr bool Floating = __is_same(V, Floats);
    for (from += own.first;;) {
        const size_t vl = lanes(columns);
        V result = as<V>(__riscv_vlse32_v_u32m8(from, Stride, vl));
        if constexpr (FromMinusZero) result = as<V>(splat(0x80000000, vl));
        // A float that is alone goes through the operation as well.
        for (uint32_t p = Floating ? 0 : 1; p < own.count; ++p) {
            result = Op(result, as<V>(__riscv_vlse32_v_u32m8(from + p, Stride, vl)), vl);
        }
        if constexpr (Floating) {
            if (divisor != 0.0F) result = __riscv_vfdiv(result, divisor, vl);
        }
        __riscv_vsse32(to, Stride, as_bits(result), vl);
        columns -= vl;
        if (columns == 0) return;
        from += vl * Partitions;
        to += vl * Partitions;
    }
}

using N = size_t;
struct Reduction {
    AluOp op;
    ReduceLoop of_signed, of_unsigned, of_floats;  // null where there is none
};
template <auto Op>
constexpr ReduceLoop of_bits = reduce<Bits, Op>;
template <auto Op>
constexpr ReduceLoop of_ints = reduce<Ints, Op>;
template <auto Op>
constexpr ReduceLoop of_floats = reduce<Floats, Op>;

constexpr ReduceLoop Add = of_bits<[](Bits a, Bits b, N vl) { return __riscv_vadd(a, b, vl); }>;
constexpr ReduceLoop And = of_bits<[](Bits a, Bits b, N vl) { return __riscv_vand(a, b, vl); }>;
constexpr ReduceLoop Or = of_bits<[](Bits a, Bits b, N vl) { return __riscv_vor(a, b, vl); }>;
constexpr ReduceLoop Xor = of_bits<[](Bits a, Bits b, N vl) { return __riscv_vxor(a, b, vl); }>;
constexpr Reduction Reductions[] = {
    {AluOp::Add, Add, Add,
     reduce<Floats, [](Floats a, Floats b, N vl) { return __riscv_vfadd(a, b, vl); }, true>},
    {AluOp::Max, of_ints<[](Ints a, Ints b, N vl) { return __riscv_vmax(a, b, vl); }>,
     of_bits<[](Bits a, Bits b, N vl) { return __riscv_vmaxu(a, b, vl); }>,
     of_floats<[](Floats a, Floats b, N vl) { return __riscv_vfmax(a, b, vl); }>},
    {AluOp::Min, of_ints<[](Ints a, Ints b, N vl) { return __riscv_vmin(a, b, vl); }>,
     of_bits<[](Bits a, Bits b, N vl) { return __riscv_vminu(a, b, vl); }>,
     of_floats<[](Floats a, Floats b, N vl) { return __riscv_vfmin(a, b, vl); }>},
    {AluOp::BitwiseAnd, And, And, nullptr},
    {AluOp::BitwiseOr, Or, Or, nullptr},
    {AluOp::BitwiseXor, Xor, Xor, nullptr},
};

ReduceLoop reduce_loop(AluOp op, Dtype dtype) {
    for (const Reduction& row : Reductions) {
        if (row.op != op) continue;
        return is_float(dtype) ? row.of_floats : dtype == Dtype::U32 ? row.of_unsigned : row.of_signed;
    }
    return nullptr;
}

}  // namespace

Status partition_reduce(const void* arguments) {
    const auto& args = *static_cast<const PartitionReduceArguments*>(arguments);
    const auto& [shape, dst, a, op, divisor] = args;
    Work work;
    if (const Status status = prepare(work, shape, dst, a); status != Status::Ok) return status;
    const bool floats = is_float(a.dtype);
    if (is_float(dst.dtype) != floats) return Status::BadDtype;
    const ReduceLoop loop = reduce_loop(op, a.dtype);
    if (loop == nullptr || (divisor != 0 && !floats)) return Status::BadOperation;
    if (work.own.count == 0) return Status::Ok;
    const Conversions &from = conversions(a.dtype), &to = conversions(dst.dtype);
    Work result = work;
    result.own = {0, 1, 0};
    Destination destination(result, dst, floats ? to.from_float : nullptr, buffers[0]);
    Source source(work, a, floats ? from.to_float : from.to_integer, buffers[1]);
    for_columns(
        work, AllColumns,
        [&](uint32_t columns) {
            loop(destination.words(), source.read(columns), work.own, static_cast<float>(divisor), columns);
            destination.write(columns);
        },
        destination, source);
    return Status::Ok;
}

namespace {

// Copies partition `source` of contiguous columns to all of their partitions.
void broadcast(uint32_t* to, const uint32_t* from, uint32_t source, uint32_t columns) {
    from += source;
    for (; columns >= GroupColumns; columns -= GroupColumns) {
        uint32_t word[GroupColumns];
        for (uint32_t k = 0; k < GroupColumns; ++k) word[k] = from[k * Partitions];
        store(to, group([&]<uint32_t Index> { return spread(word[Index]); }), GroupWords);
        from += GroupWords;
        to += GroupWords;
    }
    for (; columns != 0; --columns) {
        __riscv_vse32(to, spread(*from), Partitions);
        from += Partitions;
        to += Partitions;
    }
}

}  // namespace

Status partition_broadcast(const void* arguments) {
    auto [shape, dst, a, source] = *static_cast<const PartitionBroadcastArguments*>(arguments);
    Work work;
    if (const Status status = prepare(work, shape, dst, a); status != Status::Ok) return status;
    if (source >= Partitions) return Status::BadShape;
    if (dst.dtype != a.dtype) return Status::BadDtype;
    if (work.own.count == 0) return Status::Ok;
    widen(work, a.dtype, dst, a);
    Destination destination(work, dst, nullptr, buffers[0]);
    Source from(work, a, conversions(a.dtype).to_bits, buffers[1]);
    for_columns(
        work, AllColumns,
        [&](uint32_t columns) {
            broadcast(destination.words(), from.read(columns), source, columns);
            destination.write(columns);
        },
        destination, from);
    return Status::Ok;
}

namespace {

uint32_t* place_of(const Tensor& tensor, uint32_t element, uint32_t partition) {
    return word_of(byte_of(tensor, element * static_cast<uint32_t>(tensor.step[0])), partition);
}

float as_float(uint32_t bits) {
    return __builtin_bit_cast(float, bits);
}

float scalar_at(const Tensor& tensor, uint32_t element, uint32_t partition) {
    const uint32_t* place = place_of(tensor, element, partition);
    return tensor.dtype == Dtype::Fp32 ? as_float(*place) : static_cast<float>(static_cast<int32_t>(*place));
}

void store_at(const Tensor& tensor, uint32_t element, uint32_t partition, int32_t value) {
    uint32_t* place = place_of(tensor, element, partition);
    *place = tensor.dtype == Dtype::Fp32 ? __builtin_bit_cast(uint32_t, static_cast<float>(value))
                                         : static_cast<uint32_t>(value);
}

}  // namespace

Status sequence_bounds(const void* arguments) {
    const auto& args = *static_cast<const SequenceBoundsArguments*>(arguments);
    const auto& [partition, count, first, end, a] = args;
    const Shape shape{partition, 1, {count, 1, 1, 1}};
    Work work;
    if (const Status status = prepare(work, shape, first, end, a); status != Status::Ok) return status;
    const auto has_numbers = [](const Tensor& tensor) {
        return tensor.dtype == Dtype::Fp32 || tensor.dtype == Dtype::I32;
    };
    if (!has_numbers(first) || !has_numbers(end) || !has_numbers(a)) return Status::BadDtype;
    const OwnPartitions& own = work.own;
    if (own.count == 0) return Status::Ok;
    // Segments are done one after the other: the end of one is found, then its bounds are written.
    for (uint32_t begin = 0; begin < count;) {
        const float id = scalar_at(a, begin, own.first);
        uint32_t stop = begin + 1;
        while (stop < count && scalar_at(a, stop, own.first) == id) ++stop;
        const bool padding = id == 0.0F;
        for (uint32_t k = begin; k < stop; ++k) {
            store_at(first, k, own.first, static_cast<int32_t>(padding ? count : begin));
            store_at(end, k, own.first, padding ? -1 : static_cast<int32_t>(stop));
        }
        begin = stop;
    }
    return Status::Ok;
}

}  // namespace trnsim::firmware
