#include "firmware/microcode/moves.hpp"

#include "firmware/microcode/vectors.hpp"

namespace trnsim::firmware {

namespace {

using Bytes = vuint8m1_t;

Column load_column(const uint32_t* from) {
    return __riscv_vle32_v_u32m1(from, Partitions);
}

template <uint32_t Index>
Column column(Bits group) {
    return __riscv_vget_v_u32m8_u32m1(group, Index);
}

// Column `Index` of those that fill `words`, at the upper end.
template <uint32_t Size, uint32_t Index>
Column element(Bits words) {
    constexpr uint32_t Shift = 32 - 8 * Size - 8 * (Index * Size % 4);
    const Column word = column<Index * Size / 4>(words);
    return Shift == 0 ? word : __riscv_vsll(word, Shift, Partitions);
}

// Groups of columns that fill words; what is left of the run is not of a group.
template <uint32_t Size>
void gather_words(uint32_t*& to, Run& run) {
    constexpr uint32_t Words = GroupColumns * Size / 4 * Partitions;
    for (; run.columns >= GroupColumns; run.columns -= GroupColumns) {
        const Bits words = load(word_of(run.byte), Words);
        const Bits group = __riscv_vcreate_v_u32m1_u32m8(element<Size, 0>(words), element<Size, 1>(words),
                                                         element<Size, 2>(words), element<Size, 3>(words),
                                                         element<Size, 4>(words), element<Size, 5>(words),
                                                         element<Size, 6>(words), element<Size, 7>(words));
        store(to, group, GroupWords);
        to += GroupWords;
        run.byte += GroupColumns * Size;
    }
}

void gather_columns(uint32_t*& to, uint32_t size, Run& run) {
    for (; run.columns != 0; --run.columns) {
        const Column word = load_column(word_of(run.byte));
        __riscv_vse32(to, __riscv_vsll(word, 32 - 8 * size - 8 * (run.byte % 4), Partitions), Partitions);
        to += Partitions;
        run.byte += run.step;
    }
}

// The lower `Width` bits of `low`, and `high` above them.
template <uint32_t Width>
Column join(Column high, Column low) {
    return __riscv_vor(__riscv_vsll(high, Width, Partitions),
                       __riscv_vand(low, (1U << Width) - 1, Partitions), Partitions);
}

// The word of two or four columns.
template <uint32_t First>
Column pair(Bits group) {
    return join<16>(column<First + 1>(group), column<First>(group));
}
template <uint32_t First>
Column quad(Bits group) {
    const Column upper = join<8>(column<First + 3>(group), column<First + 2>(group));
    return join<8>(join<8>(upper, column<First + 1>(group)), column<First>(group));
}

template <uint32_t Size>
void scatter_words(const OwnPartitions& own, const uint32_t*& from, Run& run) {
    constexpr uint32_t Words = GroupColumns * Size / 4 * Partitions;
    const Mask mask = own_lanes(own, GroupWords);
    for (; run.columns >= GroupColumns; run.columns -= GroupColumns) {
        const Bits group = load(from, GroupWords);
        Bits words = group;
        if constexpr (Size == 1) {
            words = __riscv_vset(words, 0, quad<0>(group));
            words = __riscv_vset(words, 1, quad<4>(group));
        } else if constexpr (Size == 2) {
            words = __riscv_vset(words, 0, pair<0>(group));
            words = __riscv_vset(words, 1, pair<2>(group));
            words = __riscv_vset(words, 2, pair<4>(group));
            words = __riscv_vset(words, 3, pair<6>(group));
        }
        store(mask, word_of(run.byte), words, Words);
        from += GroupWords;
        run.byte += GroupColumns * Size;
    }
}

void scatter_columns(const OwnPartitions& own, uint32_t size_log2, const uint32_t*& from, Run& run) {
    // Which element of its word a byte of a column belongs to; none outside of the partitions.
    constexpr size_t All = 4 * Partitions;
    const Bytes byte = __riscv_vid_v_u8m1(All);
    const Bytes partition = __riscv_vsub(__riscv_vsrl(byte, 2, All), own.first, All);
    const Bytes element = __riscv_vsrl(__riscv_vand(byte, 3, All), size_log2, All);
    const Bytes elements = __riscv_vmerge(element, 0xff, __riscv_vmsgeu(partition, own.count, All), All);
    for (; run.columns != 0; --run.columns) {
        const uint32_t place = run.byte % 4;
        const Column word = __riscv_vsll(load_column(from), 8 * place, Partitions);
        const vbool8_t mask = __riscv_vmseq(elements, place >> size_log2, All);
        __riscv_vse8(mask, reinterpret_cast<uint8_t*>(word_of(run.byte)),
                     __riscv_vreinterpret_v_u32m1_u8m1(word), All);
        from += Partitions;
        run.byte += run.step;
    }
}

}  // namespace

void gather(uint32_t* words, uint32_t size, Run run) {
    if (run.step == 1U << size && run.byte % 4 == 0) {
        if (size == 0) gather_words<1>(words, run);
        if (size == 1) gather_words<2>(words, run);
        if (size == 2) gather_words<4>(words, run);
    }
    gather_columns(words, 1U << size, run);
}

void scatter(const OwnPartitions& own, uint32_t size, Run run, const uint32_t* words) {
    if (run.step == 1U << size && run.byte % 4 == 0) {
        if (size == 0) scatter_words<1>(own, words, run);
        if (size == 1) scatter_words<2>(own, words, run);
        if (size == 2) scatter_words<4>(own, words, run);
    }
    if (run.columns != 0) scatter_columns(own, size, words, run);
}

void fill(uint32_t* to, uint32_t value, size_t words) {
    const Bits group = splat(value, GroupWords);
    for (; words > 2 * GroupWords; words -= 2 * GroupWords, to += 2 * GroupWords) {
        store(to, group, GroupWords);
        store(to + GroupWords, group, GroupWords);
    }
    if (words > GroupWords) {
        store(to, group, GroupWords);
        words -= GroupWords;
        to += GroupWords;
    }
    store(to, group, lanes(words));
}

void copy(uint32_t* to, const uint32_t* from, size_t words) {
    for (; words > 2 * GroupWords; words -= 2 * GroupWords) {
        const Bits first = load(from, GroupWords), second = load(from + GroupWords, GroupWords);
        store(to, first, GroupWords);
        store(to + GroupWords, second, GroupWords);
        from += 2 * GroupWords;
        to += 2 * GroupWords;
    }
    if (words > GroupWords) {
        store(to, load(from, GroupWords), GroupWords);
        words -= GroupWords;
        from += GroupWords;
        to += GroupWords;
    }
    const size_t vl = lanes(words);
    store(to, load(from, vl), vl);
}

}  // namespace trnsim::firmware
