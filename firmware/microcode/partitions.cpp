// partition_reduce, partition_broadcast, sequence_bounds.
#include "firmware/microcode/alu.hpp"
#include "firmware/microcode/commands.hpp"

namespace trnsim::firmware {

namespace {

bool reduces(AluOp op, bool floats) {
    switch (op) {
        case AluOp::Add:
        case AluOp::Max:
        case AluOp::Min:
            return true;
        case AluOp::BitwiseAnd:
        case AluOp::BitwiseOr:
        case AluOp::BitwiseXor:
            return !floats;
        default:
            return false;
    }
}

// The lanes of v, in their order where order matters; the first lane of the result.
Bits reduce_floats(AluOp op, Floats v, size_t vl) {
    const vfloat32m1_t first = __riscv_vfmv_s_f_f32m1(op == AluOp::Add ? -0.0F : __riscv_vfmv_f(v), 1);
    vfloat32m1_t result;
    if (op == AluOp::Add) {
        result = __riscv_vfredosum(v, first, vl);
    } else {
        result = op == AluOp::Max ? __riscv_vfredmax(v, first, vl) : __riscv_vfredmin(v, first, vl);
    }
    return as_bits(__riscv_vlmul_ext_v_f32m1_f32m4(result));
}

Bits reduce_ints(AluOp op, Ints v, bool is_unsigned, size_t vl) {
    const Bits bits = as_bits(v);
    const vuint32m1_t first = __riscv_vlmul_trunc_v_u32m4_u32m1(bits);
    const vuint32m1_t zero = __riscv_vmv_s_x_u32m1(0, 1);
    const auto is_signed = [](vint32m1_t result) {
        return __riscv_vlmul_ext_v_u32m1_u32m4(__riscv_vreinterpret_v_i32m1_u32m1(result));
    };
    const vint32m1_t signed_first = __riscv_vreinterpret_v_u32m1_i32m1(first);
    switch (op) {
        case AluOp::Add:
            return __riscv_vlmul_ext_v_u32m1_u32m4(__riscv_vredsum(bits, zero, vl));
        case AluOp::Max:
            if (!is_unsigned) return is_signed(__riscv_vredmax(v, signed_first, vl));
            return __riscv_vlmul_ext_v_u32m1_u32m4(__riscv_vredmaxu(bits, first, vl));
        case AluOp::Min:
            if (!is_unsigned) return is_signed(__riscv_vredmin(v, signed_first, vl));
            return __riscv_vlmul_ext_v_u32m1_u32m4(__riscv_vredminu(bits, first, vl));
        case AluOp::BitwiseAnd:
            return __riscv_vlmul_ext_v_u32m1_u32m4(__riscv_vredand(bits, first, vl));
        case AluOp::BitwiseOr:
            return __riscv_vlmul_ext_v_u32m1_u32m4(__riscv_vredor(bits, zero, vl));
        default:
            return __riscv_vlmul_ext_v_u32m1_u32m4(__riscv_vredxor(bits, zero, vl));
    }
}

}  // namespace

Status partition_reduce(const void* arguments) {
    const auto& args = *static_cast<const PartitionReduceArguments*>(arguments);
    const auto& [shape, dst, a, op, divisor] = args;
    if (const Status status = check(shape, dst, a); status != Status::Ok) return status;
    const bool floats = is_float(a.dtype);
    if (is_float(dst.dtype) != floats) return Status::BadDtype;
    if (!reduces(op, floats) || (divisor != 0 && !floats)) return Status::BadOperation;
    const OwnPartitions own = own_partitions(shape.partition, shape.partitions);
    if (own.count == 0) return Status::Ok;
    const float by = static_cast<float>(divisor);
    walk<2>(shape, 1, {dst.step, a.step}, [&](const int32_t(&at)[2], uint32_t) {
        const size_t vl = own.count;
        const uint32_t to = address_of(dst, at[0], 0), from = address_of(a, at[1], own.first);
        if (floats) {
            Floats result = as_floats(reduce_floats(op, load_floats(a.dtype, from, vl), vl));
            if (by != 0.0F) result = __riscv_vfdiv(result, by, 1);
            store_floats(dst.dtype, to, result, 1);
        } else {
            store_bits(dst.dtype, to,
                       reduce_ints(op, load_ints(a.dtype, from, vl), a.dtype == Dtype::U32, vl), 1);
        }
    });
    return Status::Ok;
}

Status partition_broadcast(const void* arguments) {
    const auto& args = *static_cast<const PartitionBroadcastArguments*>(arguments);
    const auto& [shape, dst, a, source] = args;
    if (const Status status = check(shape, dst, a); status != Status::Ok) return status;
    if (source >= Partitions) return Status::BadShape;
    if (dst.dtype != a.dtype) return Status::BadDtype;
    const OwnPartitions own = own_partitions(shape.partition, shape.partitions);
    if (own.count == 0) return Status::Ok;
    walk<2>(shape, 1, {dst.step, a.step}, [&](const int32_t(&at)[2], uint32_t) {
        const Bits element = load_bits(a.dtype, address_of(a, at[1], source), 1);
        store_bits(dst.dtype, address_of(dst, at[0], own.first), __riscv_vrgather(element, 0, own.count),
                   own.count);
    });
    return Status::Ok;
}

namespace {

float scalar_at(const Tensor& tensor, uint32_t element, uint32_t partition) {
    const auto* place = reinterpret_cast<const uint32_t*>(
        address_of(tensor, static_cast<int32_t>(element) * tensor.step[0], partition));
    return tensor.dtype == Dtype::Fp32 ? as_float(*place) : static_cast<float>(static_cast<int32_t>(*place));
}

void store_at(const Tensor& tensor, uint32_t element, uint32_t partition, int32_t value) {
    auto* place = reinterpret_cast<uint32_t*>(
        address_of(tensor, static_cast<int32_t>(element) * tensor.step[0], partition));
    *place = tensor.dtype == Dtype::Fp32 ? __builtin_bit_cast(uint32_t, static_cast<float>(value))
                                         : static_cast<uint32_t>(value);
}

}  // namespace

Status sequence_bounds(const void* arguments) {
    const auto& args = *static_cast<const SequenceBoundsArguments*>(arguments);
    const auto& [partition, count, first, end, a] = args;
    const Shape shape{partition, 1, {count, 1, 1, 1}};
    if (const Status status = check(shape, first, end, a); status != Status::Ok) return status;
    const auto has_numbers = [](const Tensor& tensor) {
        return tensor.dtype == Dtype::Fp32 || tensor.dtype == Dtype::I32;
    };
    if (!has_numbers(first) || !has_numbers(end) || !has_numbers(a)) return Status::BadDtype;
    const OwnPartitions own = own_partitions(partition, 1);
    if (own.count == 0) return Status::Ok;
    // Segments one after the other: found to their end, then written.
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
