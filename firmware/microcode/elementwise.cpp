// memset, tensor_copy, tensor_tensor, tensor_scalar.
#include "firmware/microcode/alu.hpp"
#include "firmware/microcode/commands.hpp"

namespace trnsim::firmware {

Status memset_command(const void* arguments) {
    const auto& args = *static_cast<const MemsetArguments*>(arguments);
    if (const Status status = check(args.shape, args.dst); status != Status::Ok) return status;
    const OwnPartitions own = own_partitions(args.shape.partition, args.shape.partitions);
    if (own.count == 0) return Status::Ok;
    const size_t most = own.count * columns_at_once(own, args.dst);
    const Bits value = __riscv_vmv_v_x_u32m4(args.value, most);
    walk<1>(args.shape, columns_at_once(own, args.dst), {args.dst.step},
            [&](const int32_t(&at)[1], uint32_t columns) {
                const size_t vl = columns * own.count;
                const uint32_t to = address_of(args.dst, at[0], own.first);
                if (is_float(args.dst.dtype)) {
                    store_floats(args.dst.dtype, to, as_floats(value), vl);
                } else {
                    store_bits(args.dst.dtype, to, value, vl);
                }
            });
    return Status::Ok;
}

Status tensor_copy(const void* arguments) {
    const auto& args = *static_cast<const TensorCopyArguments*>(arguments);
    const auto& [shape, dst, a] = args;
    if (const Status status = check(shape, dst, a); status != Status::Ok) return status;
    const OwnPartitions own = own_partitions(shape.partition, shape.partitions);
    if (own.count == 0) return Status::Ok;
    walk<2>(shape, columns_at_once(own, dst, a), {dst.step, a.step},
            [&](const int32_t(&at)[2], uint32_t columns) {
                const size_t vl = columns * own.count;
                const uint32_t to = address_of(dst, at[0], own.first), from = address_of(a, at[1], own.first);
                if (dst.dtype == a.dtype) {
                    store_bits(dst.dtype, to, load_bits(a.dtype, from, vl), vl);
                } else if (is_float(a.dtype)) {
                    store_floats(dst.dtype, to, load_floats(a.dtype, from, vl), vl);
                } else {
                    store_ints(dst.dtype, to, load_ints(a.dtype, from, vl), a.dtype == Dtype::U32, vl);
                }
            });
    return Status::Ok;
}

namespace {

// Logical shifts to the right see the bits of the element alone.
Ints load_operand(AluOp op, Dtype dtype, uint32_t address, size_t vl) {
    return op == AluOp::ShiftRight ? as_ints(load_bits(dtype, address, vl)) : load_ints(dtype, address, vl);
}

}  // namespace

Status tensor_tensor(const void* arguments) {
    const auto& args = *static_cast<const TensorTensorArguments*>(arguments);
    const auto& [shape, dst, a, b, op] = args;
    if (const Status status = check(shape, dst, a, b); status != Status::Ok) return status;
    const bool floats = is_float(dst.dtype) || is_float(a.dtype) || is_float(b.dtype);
    if (!(floats ? has_float(op) : has_integer(op))) return Status::BadOperation;
    const OwnPartitions own = own_partitions(shape.partition, shape.partitions);
    if (own.count == 0) return Status::Ok;
    const bool is_unsigned = a.dtype == Dtype::U32 || b.dtype == Dtype::U32;
    walk<3>(shape, columns_at_once(own, dst, a, b), {dst.step, a.step, b.step},
            [&](const int32_t(&at)[3], uint32_t columns) {
                const size_t vl = columns * own.count;
                const uint32_t to = address_of(dst, at[0], own.first);
                const uint32_t from_a = address_of(a, at[1], own.first),
                               from_b = address_of(b, at[2], own.first);
                if (floats) {
                    store_floats(
                        dst.dtype, to,
                        alu(op, load_floats(a.dtype, from_a, vl), load_floats(b.dtype, from_b, vl), vl), vl);
                } else {
                    store_bits(dst.dtype, to,
                               as_bits(alu(op, load_operand(op, a.dtype, from_a, vl),
                                           load_ints(b.dtype, from_b, vl), is_unsigned, vl)),
                               vl);
                }
            });
    return Status::Ok;
}

namespace {

// An immediate in every lane of a column.
Bits immediate(const TensorScalarArguments& args, uint32_t vector_flag, uint32_t value,
               const OwnPartitions& own, size_t vl) {
    if ((args.flags & vector_flag) == 0) return __riscv_vmv_v_x_u32m4(value, vl);
    Bits lanes = __riscv_vmv_v_x_u32m4(0, vl);
    const Bits column =
        __riscv_vle32_v_u32m4(reinterpret_cast<const uint32_t*>(slice_address(own.first, value)), own.count);
    for (uint32_t at = 0; at < vl; at += own.count) {
        lanes = __riscv_vslideup_tu(lanes, column, at, at + own.count);
    }
    return lanes;
}

Status check_immediate(uint32_t place) {
    if (place % 4 != 0) return Status::Misaligned;
    return place > mailbox.partition_bytes - 4 ? Status::OutOfBounds : Status::Ok;
}

}  // namespace

Status tensor_scalar(const void* arguments) {
    using Args = TensorScalarArguments;
    const auto& args = *static_cast<const Args*>(arguments);
    const auto& [shape, dst, a, op0, op1, flags, imm0, imm1] = args;
    Status status = check(shape, dst, a);
    if (status == Status::Ok && (flags & Args::Vector0) != 0) status = check_immediate(imm0);
    if (status == Status::Ok && (flags & Args::Vector1) != 0) status = check_immediate(imm1);
    if (status != Status::Ok) return status;
    const bool floats = is_float(dst.dtype) || is_float(a.dtype);
    const auto has = floats ? has_float : has_integer;
    if (!has(op0) || !has(op1)) return Status::BadOperation;
    const OwnPartitions own = own_partitions(shape.partition, shape.partitions);
    if (own.count == 0) return Status::Ok;

    const uint32_t at_once = columns_at_once(own, dst, a);
    const size_t most = at_once * own.count;
    const Bits first = immediate(args, Args::Vector0, imm0, own, most);
    const Bits second = immediate(args, Args::Vector1, imm1, own, most);
    const bool is_unsigned = a.dtype == Dtype::U32;
    const bool reverse0 = (flags & Args::Reverse0) != 0, reverse1 = (flags & Args::Reverse1) != 0;
    walk<2>(shape, at_once, {dst.step, a.step}, [&](const int32_t(&at)[2], uint32_t columns) {
        const size_t vl = columns * own.count;
        const uint32_t to = address_of(dst, at[0], own.first), from = address_of(a, at[1], own.first);
        if (floats) {
            Floats v = load_floats(a.dtype, from, vl);
            v = reverse0 ? alu(op0, as_floats(first), v, vl) : alu(op0, v, as_floats(first), vl);
            v = reverse1 ? alu(op1, as_floats(second), v, vl) : alu(op1, v, as_floats(second), vl);
            store_floats(dst.dtype, to, v, vl);
        } else {
            Ints v = load_operand(reverse0 ? AluOp::Bypass : op0, a.dtype, from, vl);
            v = reverse0 ? alu(op0, as_ints(first), v, is_unsigned, vl)
                         : alu(op0, v, as_ints(first), is_unsigned, vl);
            v = reverse1 ? alu(op1, as_ints(second), v, is_unsigned, vl)
                         : alu(op1, v, as_ints(second), is_unsigned, vl);
            store_bits(dst.dtype, to, as_bits(v), vl);
        }
    });
    return Status::Ok;
}

}  // namespace trnsim::firmware
