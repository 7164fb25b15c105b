// Columns of a tensor in vector registers, a 32-bit element a lane: lane l holds partition l % 16 of column l
// / 16.
//
// An integer is extended to 32 bits by its type, its low bits are stored. A float is fp32; from bf16 exactly,
// to bf16 to the nearest even. From float to integer: nearest even, saturating, NaN gives 0.
#pragma once

#include <riscv_vector.h>

#include "firmware/microcode/tensor.hpp"

namespace trnsim::firmware {

using Bits = vuint32m4_t;
using Ints = vint32m4_t;
using Floats = vfloat32m4_t;
using Mask = vbool8_t;

inline constexpr int32_t LaneStride = 4;  // from a partition to the next

// Columns that a register group holds.
inline uint32_t group_columns() {
    return __riscv_vsetvlmax_e32m4() / Partitions;
}

// Columns at a time for these tensors.
template <class... Tensors>
uint32_t columns_at_once(const OwnPartitions& own, const Tensors&... tensors) {
    return (is_dense(own, tensors) && ...) ? group_columns() : 1;
}

inline Ints as_ints(Bits v) {
    return __riscv_vreinterpret_v_u32m4_i32m4(v);
}
inline Bits as_bits(Ints v) {
    return __riscv_vreinterpret_v_i32m4_u32m4(v);
}
inline Bits as_bits(Floats v) {
    return __riscv_vreinterpret_v_f32m4_u32m4(v);
}
inline Floats as_floats(Bits v) {
    return __riscv_vreinterpret_v_u32m4_f32m4(v);
}

inline float as_float(uint32_t bits) {
    return __builtin_bit_cast(float, bits);
}

// Zero-extended.
Bits load_bits(Dtype dtype, uint32_t address, size_t vl);
void store_bits(Dtype dtype, uint32_t address, Bits bits, size_t vl);

Ints load_ints(Dtype dtype, uint32_t address, size_t vl);
Floats load_floats(Dtype dtype, uint32_t address, size_t vl);
void store_floats(Dtype dtype, uint32_t address, Floats floats, size_t vl);

// Integers as a tensor of any type has them.
void store_ints(Dtype dtype, uint32_t address, Ints ints, bool is_unsigned, size_t vl);

}  // namespace trnsim::firmware
