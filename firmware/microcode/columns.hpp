// A column in registers: one element of each of the core's 16 partitions, 64 bytes, which is what memory
// moves in a cycle. It fills one register of 512 bits, two of 256 or four of 128, and starts at a multiple of
// that number in a group.
#pragma once

#include "firmware/microcode/vectors.hpp"

namespace trnsim::firmware {

// Types and operations of columns in `m` registers. `b` bytes of a column share a bit of a mask.
#define TRNSIM_COLUMNS(m, b)                                   \
    using Column = vuint32m##m##_t;                            \
    using KeyColumn = vint32m##m##_t;                          \
    using ByteColumn = vuint8m##m##_t;                         \
    using ByteMask = vbool##b##_t;                             \
    inline Column load_column(const uint32_t* from) {          \
        return __riscv_vle32_v_u32m##m(from, Partitions);      \
    }                                                          \
    inline Column spread(uint32_t word) {                      \
        return __riscv_vmv_v_x_u32m##m(word, Partitions);      \
    }                                                          \
    inline Column partition_numbers() {                        \
        return __riscv_vid_v_u32m##m(Partitions);              \
    }                                                          \
    inline ByteColumn byte_numbers(size_t bytes) {             \
        return __riscv_vid_v_u8m##m(bytes);                    \
    }                                                          \
    inline ByteColumn bytes_of(Column words) {                 \
        return __riscv_vreinterpret_v_u32m##m##_u8m##m(words); \
    }                                                          \
    template <uint32_t Index>                                  \
    Column column(Bits group) {                                \
        return __riscv_vget_v_u32m8_u32m##m(group, Index);     \
    }

// Operations of columns that are smaller than a half group
#define TRNSIM_HALF_COLUMNS(m)                                 \
    inline Column as_bits(KeyColumn keys) {                    \
        return __riscv_vreinterpret_v_i32m##m##_u32m##m(keys); \
    }                                                          \
    template <uint32_t Index>                                  \
    Column column(HalfBits group) {                            \
        return __riscv_vget_v_u32m4_u32m##m(group, Index);     \
    }                                                          \
    template <uint32_t Index>                                  \
    KeyColumn column(HalfInts group) {                         \
        return __riscv_vget_v_i32m4_i32m##m(group, Index);     \
    }

#define TRNSIM_MAKE(index) make.template operator()<index>()

// group() and half_group() join the columns that make<0>(), make<1>() and so on return.
#if __riscv_v_min_vlen == 512

TRNSIM_COLUMNS(1, 8)
TRNSIM_HALF_COLUMNS(1)

template <class Make>
HalfBits half_group(Make&& make) {
    const Column a = TRNSIM_MAKE(0), b = TRNSIM_MAKE(1), c = TRNSIM_MAKE(2), d = TRNSIM_MAKE(3);
    return __riscv_vcreate_v_u32m1_u32m4(a, b, c, d);
}
template <class Make>
Bits group(Make&& make) {
    const Column a = TRNSIM_MAKE(0), b = TRNSIM_MAKE(1), c = TRNSIM_MAKE(2), d = TRNSIM_MAKE(3);
    const Column e = TRNSIM_MAKE(4), f = TRNSIM_MAKE(5), g = TRNSIM_MAKE(6), h = TRNSIM_MAKE(7);
    return __riscv_vcreate_v_u32m1_u32m8(a, b, c, d, e, f, g, h);
}

#elif __riscv_v_min_vlen == 256

TRNSIM_COLUMNS(2, 4)
TRNSIM_HALF_COLUMNS(2)

template <class Make>
HalfBits half_group(Make&& make) {
    const Column a = TRNSIM_MAKE(0), b = TRNSIM_MAKE(1);
    return __riscv_vcreate_v_u32m2_u32m4(a, b);
}
template <class Make>
Bits group(Make&& make) {
    const Column a = TRNSIM_MAKE(0), b = TRNSIM_MAKE(1), c = TRNSIM_MAKE(2), d = TRNSIM_MAKE(3);
    return __riscv_vcreate_v_u32m2_u32m8(a, b, c, d);
}

#elif __riscv_v_min_vlen == 128

TRNSIM_COLUMNS(4, 2)

template <uint32_t Index>
Column column(HalfBits group) {
    return group;
}
template <uint32_t Index>
KeyColumn column(HalfInts group) {
    return group;
}
template <class Make>
HalfBits half_group(Make&& make) {
    return TRNSIM_MAKE(0);
}
template <class Make>
Bits group(Make&& make) {
    const Column a = TRNSIM_MAKE(0), b = TRNSIM_MAKE(1);
    return __riscv_vcreate_v_u32m4_u32m8(a, b);
}

#endif

// Calls use(column) with the columns of a half group.
template <uint32_t Index = 0, class Use>
void each_column(HalfBits group, Use&& use) {
    if constexpr (Index < HalfColumns) {
        use(column<Index>(group));
        each_column<Index + 1>(group, use);
    }
}

#undef TRNSIM_COLUMNS
#undef TRNSIM_MAKE
#undef TRNSIM_HALF_COLUMNS

}  // namespace trnsim::firmware
