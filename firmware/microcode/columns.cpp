#include "firmware/microcode/columns.hpp"

namespace trnsim::firmware {

Bits load_bits(Dtype dtype, uint32_t address, size_t vl) {
    switch (size_log2(dtype)) {
        case 0:
            return __riscv_vzext_vf4(
                __riscv_vlse8_v_u8m1(reinterpret_cast<const uint8_t*>(address), LaneStride, vl), vl);
        case 1:
            return __riscv_vzext_vf2(
                __riscv_vlse16_v_u16m2(reinterpret_cast<const uint16_t*>(address), LaneStride, vl), vl);
        default:
            return __riscv_vle32_v_u32m4(reinterpret_cast<const uint32_t*>(address), vl);
    }
}

void store_bits(Dtype dtype, uint32_t address, Bits bits, size_t vl) {
    switch (size_log2(dtype)) {
        case 0: {
            const vuint16m2_t half = __riscv_vncvt_x(bits, vl);
            __riscv_vsse8(reinterpret_cast<uint8_t*>(address), LaneStride, __riscv_vncvt_x(half, vl), vl);
            break;
        }
        case 1:
            __riscv_vsse16(reinterpret_cast<uint16_t*>(address), LaneStride, __riscv_vncvt_x(bits, vl), vl);
            break;
        default:
            __riscv_vse32(reinterpret_cast<uint32_t*>(address), bits, vl);
            break;
    }
}

Ints load_ints(Dtype dtype, uint32_t address, size_t vl) {
    const Ints ints = as_ints(load_bits(dtype, address, vl));
    const uint32_t unused = dtype == Dtype::I8 ? 24 : dtype == Dtype::I16 ? 16 : 0;
    return unused == 0 ? ints : __riscv_vsra(__riscv_vsll(ints, unused, vl), unused, vl);
}

Floats load_floats(Dtype dtype, uint32_t address, size_t vl) {
    switch (dtype) {
        case Dtype::Fp32:
            return as_floats(load_bits(dtype, address, vl));
        case Dtype::Bf16:
            return as_floats(__riscv_vsll(load_bits(dtype, address, vl), 16, vl));
        case Dtype::U32:
            return __riscv_vfcvt_f(load_bits(dtype, address, vl), vl);
        default:
            return __riscv_vfcvt_f(load_ints(dtype, address, vl), vl);
    }
}

namespace {

// To the nearest even; NaN keeps its upper bits and is quiet.
Bits to_bf16(Floats floats, size_t vl) {
    const Bits bits = as_bits(floats);
    const Bits odd = __riscv_vand(__riscv_vsrl(bits, 16, vl), 1, vl);
    const Bits rounded = __riscv_vsrl(__riscv_vadd(__riscv_vadd(bits, odd, vl), 0x7fff, vl), 16, vl);
    const Bits quiet = __riscv_vor(__riscv_vsrl(bits, 16, vl), 0x40, vl);
    return __riscv_vmerge(rounded, quiet, __riscv_vmfne(floats, floats, vl), vl);
}

Bits to_integer(Dtype dtype, Floats floats, size_t vl) {
    const Mask nan = __riscv_vmfne(floats, floats, vl);
    Bits bits;
    if (dtype == Dtype::U32) {
        bits = __riscv_vfcvt_xu(floats, vl);
    } else {
        Ints ints = __riscv_vfcvt_x(floats, vl);
        const bool is_signed = dtype == Dtype::I8 || dtype == Dtype::I16 || dtype == Dtype::I32;
        const uint32_t width = 8U << size_log2(dtype);
        if (width < 32) {
            const int32_t most = static_cast<int32_t>((1U << (is_signed ? width - 1 : width)) - 1);
            ints = __riscv_vmin(__riscv_vmax(ints, is_signed ? -most - 1 : 0, vl), most, vl);
        }
        bits = as_bits(ints);
    }
    return __riscv_vmerge(bits, 0, nan, vl);
}

}  // namespace

void store_floats(Dtype dtype, uint32_t address, Floats floats, size_t vl) {
    switch (dtype) {
        case Dtype::Fp32:
            return store_bits(dtype, address, as_bits(floats), vl);
        case Dtype::Bf16:
            return store_bits(dtype, address, to_bf16(floats, vl), vl);
        default:
            return store_bits(dtype, address, to_integer(dtype, floats, vl), vl);
    }
}

void store_ints(Dtype dtype, uint32_t address, Ints ints, bool is_unsigned, size_t vl) {
    if (!is_float(dtype)) return store_bits(dtype, address, as_bits(ints), vl);
    store_floats(dtype, address, is_unsigned ? __riscv_vfcvt_f(as_bits(ints), vl) : __riscv_vfcvt_f(ints, vl),
                 vl);
}

}  // namespace trnsim::firmware
