// Vectors of 32-bit lanes. An instruction works on a group of up to eight registers; code that needs more
// than three groups uses half groups. An image is compiled for cores with one register size (VLEN), which
// decides how many columns a group has.
#pragma once

#include <riscv_vector.h>
#include <stdint.h>

#include "firmware/microcode/tensor.hpp"

namespace trnsim::firmware {

using Bits = vuint32m8_t;
using Ints = vint32m8_t;
using Floats = vfloat32m8_t;
using Mask = vbool4_t;
using HalfBits = vuint32m4_t;
using HalfInts = vint32m4_t;
using HalfFloats = vfloat32m4_t;
using HalfMask = vbool8_t;

inline constexpr uint32_t PartitionsLog2 = 4;
static_assert(1U << PartitionsLog2 == Partitions);
inline constexpr uint32_t Vlen = __riscv_v_min_vlen;
static_assert(Vlen == 128 || Vlen == 256 || Vlen == 512);
inline constexpr uint32_t GroupWords = 8 * Vlen / 32;
inline constexpr uint32_t GroupColumns = GroupWords / Partitions;
inline constexpr uint32_t HalfColumns = GroupColumns / 2;
inline constexpr uint32_t HalfWords = GroupWords / 2;

inline Ints as_ints(Bits v) {
    return __riscv_vreinterpret_v_u32m8_i32m8(v);
}
inline Floats as_floats(Bits v) {
    return __riscv_vreinterpret_v_u32m8_f32m8(v);
}
inline Bits as_bits(Bits v) {
    return v;
}
inline Bits as_bits(Ints v) {
    return __riscv_vreinterpret_v_i32m8_u32m8(v);
}
inline Bits as_bits(Floats v) {
    return __riscv_vreinterpret_v_f32m8_u32m8(v);
}

inline HalfInts as_ints(HalfBits v) {
    return __riscv_vreinterpret_v_u32m4_i32m4(v);
}
inline HalfFloats as_floats(HalfBits v) {
    return __riscv_vreinterpret_v_u32m4_f32m4(v);
}
inline HalfBits as_bits(HalfBits v) {
    return v;
}
inline HalfBits as_bits(HalfInts v) {
    return __riscv_vreinterpret_v_i32m4_u32m4(v);
}
inline HalfBits as_bits(HalfFloats v) {
    return __riscv_vreinterpret_v_f32m4_u32m4(v);
}

template <class V>
V as(Bits v) {
    if constexpr (__is_same(V, Ints)) {
        return as_ints(v);
    } else if constexpr (__is_same(V, Floats)) {
        return as_floats(v);
    } else {
        return v;
    }
}

// Returns the lanes of a group, `words` at most.
inline size_t lanes(size_t words) {
    return __riscv_vsetvl_e32m8(words);
}
inline size_t half_lanes(size_t words) {
    return __riscv_vsetvl_e32m4(words);
}

template <class V = Bits>
V load(const uint32_t* from, size_t vl) {
    return as<V>(__riscv_vle32_v_u32m8(from, vl));
}

inline HalfBits load_half(const uint32_t* from, size_t vl) {
    return __riscv_vle32_v_u32m4(from, vl);
}

template <class V>
void store(uint32_t* to, V v, size_t vl) {
    __riscv_vse32(to, as_bits(v), vl);
}

template <class M, class V>
void store(M mask, uint32_t* to, V v, size_t vl) {
    __riscv_vse32(mask, to, as_bits(v), vl);
}

inline Bits splat(uint32_t value, size_t vl) {
    return __riscv_vmv_v_x_u32m8(value, vl);
}

// The rounding mode of the two functions below, to nearest even. Intrinsics set it before each instruction, and a write
// of a CSR waits until the vector unit is done: a loop sets it before it begins.
inline void set_rounding() {
    asm volatile("csrwi vxrm, %0" : : "i"(__RISCV_VXRM_RNE));
}

// Returns the upper 16 bits, rounded, in registers of their own.
inline Bits rounded_half(Bits bits, size_t vl) {
    Bits half;
    asm("vsetvli zero, %2, e32, m8, ta, ma\n\tvssrl.vi %0, %1, 16"
        : "=&vr"(half)
        : "vr"(bits), "r"(vl)
        : "vl", "vtype");
    return half;
}
// Returns the same in the lanes of the mask, and `others` elsewhere.
inline Bits rounded_half(Mask mask, Bits others, Bits bits, size_t vl) {
    asm("vsetvli zero, %3, e32, m8, tu, mu\n\tvssrl.vi %0, %1, 16, %2.t"
        : "+&vr"(others)
        : "vr"(bits), "vm"(mask), "r"(vl)
        : "vl", "vtype");
    return others;
}

// Returns a mask with the lanes of the core's own partitions.
inline Mask own_lanes(const OwnPartitions& own, size_t vl) {
    const Bits partition = __riscv_vand(__riscv_vid_v_u32m8(vl), Partitions - 1, vl);
    return __riscv_vmsltu(__riscv_vsub(partition, own.first, vl), own.count, vl);
}
inline HalfMask own_half_lanes(const OwnPartitions& own, size_t vl) {
    const HalfBits partition = __riscv_vand(__riscv_vid_v_u32m4(vl), Partitions - 1, vl);
    return __riscv_vmsltu(__riscv_vsub(partition, own.first, vl), own.count, vl);
}

}  // namespace trnsim::firmware
