// iota, affine_select.
#include "firmware/microcode/alu.hpp"
#include "firmware/microcode/commands.hpp"

namespace trnsim::firmware {

namespace {

// What the lanes of a group of columns add to the value at its first lane.
Ints lane_pattern(const Affine& affine, const OwnPartitions& own, size_t vl) {
    const Bits lane = __riscv_vid_v_u32m4(vl);
    const Bits column = __riscv_vdivu(lane, own.count, vl);
    const Bits partition = __riscv_vremu(lane, own.count, vl);
    const Bits steps = __riscv_vmul(column, static_cast<uint32_t>(affine.step[0]), vl);
    return as_ints(__riscv_vmacc(steps, static_cast<uint32_t>(affine.partition_step), partition, vl));
}

int32_t value_at(const Affine& affine, const OwnPartitions& own, int32_t offset) {
    const uint32_t value = static_cast<uint32_t>(affine.base) + static_cast<uint32_t>(offset) +
                           static_cast<uint32_t>(affine.partition_step) * own.skipped;
    return static_cast<int32_t>(value);
}

}  // namespace

Status iota(const void* arguments) {
    const auto& args = *static_cast<const IotaArguments*>(arguments);
    const auto& [shape, dst, affine] = args;
    if (const Status status = check(shape, dst); status != Status::Ok) return status;
    const OwnPartitions own = own_partitions(shape.partition, shape.partitions);
    if (own.count == 0) return Status::Ok;
    const uint32_t at_once = columns_at_once(own, dst);
    const Ints pattern = lane_pattern(affine, own, at_once * own.count);
    walk<2>(shape, at_once, {dst.step, affine.step}, [&](const int32_t(&at)[2], uint32_t columns) {
        const size_t vl = columns * own.count;
        const Ints value = __riscv_vadd(pattern, value_at(affine, own, at[1]), vl);
        store_ints(dst.dtype, address_of(dst, at[0], own.first), value, false, vl);
    });
    return Status::Ok;
}

Status affine_select(const void* arguments) {
    const auto& args = *static_cast<const AffineSelectArguments*>(arguments);
    const auto& [shape, dst, a, affine, compare, otherwise] = args;
    if (const Status status = check(shape, dst, a); status != Status::Ok) return status;
    if (!is_comparison(compare)) return Status::BadOperation;
    if (is_float(dst.dtype) != is_float(a.dtype)) return Status::BadDtype;
    const OwnPartitions own = own_partitions(shape.partition, shape.partitions);
    if (own.count == 0) return Status::Ok;
    const uint32_t at_once = columns_at_once(own, dst, a);
    const Ints pattern = lane_pattern(affine, own, at_once * own.count);
    const auto& constant = otherwise;
    walk<3>(shape, at_once, {dst.step, a.step, affine.step}, [&](const int32_t(&at)[3], uint32_t columns) {
        const size_t vl = columns * own.count;
        const uint32_t to = address_of(dst, at[0], own.first), from = address_of(a, at[1], own.first);
        const Mask keep =
            compare_with_zero(compare, __riscv_vadd(pattern, value_at(affine, own, at[2]), vl), vl);
        if (is_float(dst.dtype)) {
            const Bits other = __riscv_vmv_v_x_u32m4(constant, vl);
            store_floats(dst.dtype, to,
                         as_floats(__riscv_vmerge(other, as_bits(load_floats(a.dtype, from, vl)), keep, vl)),
                         vl);
        } else {
            const Bits other = __riscv_vmv_v_x_u32m4(constant, vl);
            store_bits(dst.dtype, to, __riscv_vmerge(other, as_bits(load_ints(a.dtype, from, vl)), keep, vl),
                       vl);
        }
    });
    return Status::Ok;
}

}  // namespace trnsim::firmware
