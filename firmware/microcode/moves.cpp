#include "firmware/microcode/moves.hpp"

#include "firmware/microcode/columns.hpp"

namespace trnsim::firmware {

namespace {

// Returns the column of words that contains this byte offset of the slice.
uint32_t* word_at(uint32_t offset) {
    return reinterpret_cast<uint32_t*>(TRNSIM_SLICE_BASE + offset / WordStride * WordStride);
}

// The number of columns with elements of `Size` bytes that are moved at once: a group, or as many as fill a
// word.
template <uint32_t Size>
constexpr uint32_t Batch = GroupColumns > 4 / Size ? GroupColumns : 4 / Size;

// Returns column `Index` of the elements in `words`, at the upper end.
template <uint32_t Size, uint32_t Index>
Column element(Bits words) {
    constexpr uint32_t Shift = 32 - 8 * Size - 8 * (Index * Size % 4);
    const Column word = column<Index * Size / 4>(words);
    return Shift == 0 ? word : __riscv_vsll(word, Shift, Partitions);
}

// Stores the groups of a batch of columns.
template <uint32_t Size, uint32_t First = 0>
void store_groups(uint32_t* to, Bits words) {
    if constexpr (First < Batch<Size>) {
        const auto element_at = [&]<uint32_t Index> { return element<Size, First + Index>(words); };
        store(to + First * Partitions, group(element_at), GroupWords);
        store_groups<Size, First + GroupColumns>(to, words);
    }
}

// Moves batches of columns that fill words; returns the number of columns moved.
template <uint32_t Size>
uint32_t gather_words(uint32_t* to, const Run& run) {
    constexpr uint32_t Columns = Batch<Size>, Words = Columns * Size / 4 * Partitions;
    const uint32_t* from = word_of(run.byte);
    uint32_t left = run.columns;
    for (; left >= Columns; left -= Columns, from += Words, to += Columns * Partitions) {
        store_groups<Size>(to, load(from, Words));
    }
    return run.columns - left;
}

// Moves columns one by one. Shifts count modulo 32.
void gather_columns(uint32_t* to, uint32_t size, const Run& run) {
    uint32_t place = run.byte * Partitions, shift = 0 - 8 * (run.byte + size);
    const uint32_t step = run.step;
    const auto next = [&] {
        const Column element = __riscv_vsll(load_column(word_at(place)), shift, Partitions);
        place += step * Partitions;
        shift -= 8 * step;
        return element;
    };
    uint32_t columns = run.columns;
    for (; columns >= HalfColumns; columns -= HalfColumns, to += HalfWords) {
        const HalfBits elements = half_group([&]<uint32_t> { return next(); });
        __riscv_vse32(to, elements, HalfWords);
    }
    for (; columns != 0; --columns, to += Partitions) __riscv_vse32(to, next(), Partitions);
}

// Returns the lower `Width` bits of `low`, with `high` above them.
template <uint32_t Width>
Column join(Column high, Column low) {
    return __riscv_vor(__riscv_vsll(high, Width, Partitions),
                       __riscv_vand(low, (1U << Width) - 1, Partitions), Partitions);
}

// Returns a column of a batch. The first group of the batch is in registers.
template <uint32_t Index>
Column batch_column(Bits group, const uint32_t* from) {
    if constexpr (Index < GroupColumns) {
        return column<Index>(group);
    } else {
        return load_column(from + Index * Partitions);
    }
}

// Returns the words of two or of four columns.
template <uint32_t First>
Column pair(Bits group, const uint32_t* from) {
    return join<16>(batch_column<First + 1>(group, from), batch_column<First>(group, from));
}
template <uint32_t First>
Column quad(Bits group, const uint32_t* from) {
    const Column upper = join<8>(batch_column<First + 3>(group, from), batch_column<First + 2>(group, from));
    return join<8>(join<8>(upper, batch_column<First + 1>(group, from)), batch_column<First>(group, from));
}

// Returns the words of a batch of narrow columns.
template <uint32_t Size, uint32_t First = 0>
Bits words_of(Bits words, Bits group, const uint32_t* from) {
    if constexpr (First == Batch<Size>) {
        return words;
    } else {
        constexpr uint32_t Word = First * Size / 4;
        if constexpr (Size == 1) {
            words = __riscv_vset(words, Word, quad<First>(group, from));
        } else {
            words = __riscv_vset(words, Word, pair<First>(group, from));
        }
        return words_of<Size, First + 4 / Size>(words, group, from);
    }
}

template <uint32_t Size>
uint32_t scatter_words(const OwnPartitions& own, const uint32_t* from, const Run& run) {
    constexpr uint32_t Columns = Batch<Size>, Words = Columns * Size / 4 * Partitions;
    const Mask mask = own_lanes(own, GroupWords);
    uint32_t* to = word_of(run.byte);
    uint32_t left = run.columns;
    for (; left >= Columns; left -= Columns, from += Columns * Partitions, to += Words) {
        const Bits group = load(from, GroupWords);
        if constexpr (Size == 4) {
            store(mask, to, group, Words);
        } else {
            store(mask, to, words_of<Size>(group, group, from), Words);
        }
    }
    return run.columns - left;
}

void scatter_columns(const OwnPartitions& own, uint32_t size_log2, const uint32_t* from, const Run& run) {
    // The number of each byte's element in its word; 0xff outside of the partitions.
    constexpr size_t All = 4 * Partitions;
    const ByteColumn byte = byte_numbers(All);
    const ByteColumn partition = __riscv_vsub(__riscv_vsrl(byte, 2, All), own.first, All);
    const ByteColumn element = __riscv_vsrl(__riscv_vand(byte, 3, All), size_log2, All);
    const ByteColumn elements = __riscv_vmerge(element, 0xff, __riscv_vmsgeu(partition, own.count, All), All);

    uint32_t at = run.byte;
    const uint32_t step = run.step;
    const auto put = [&](Column word) {
        const ByteMask mask = __riscv_vmseq(elements, at % 4 >> size_log2, All);
        const Column shifted = __riscv_vsll(word, 8 * at, Partitions);
        __riscv_vse8(mask, reinterpret_cast<uint8_t*>(word_at(at * Partitions)), bytes_of(shifted), All);
        at += step;
    };
    uint32_t columns = run.columns;
    for (; columns >= HalfColumns; columns -= HalfColumns, from += HalfWords) {
        each_column(load_half(from, HalfWords), put);
    }
    for (; columns != 0; --columns, from += Partitions) put(load_column(from));
}

bool fills_words(uint32_t size, const Run& run) {
    return run.step == 1U << size && run.byte % 4 == 0 && run.columns >= GroupColumns;
}

Run behind(const Run& run, uint32_t columns) {
    return {run.byte + columns * run.step, run.step, run.columns - columns};
}

}  // namespace

void gather(uint32_t* words, uint32_t size, Run run) {
    if (fills_words(size, run)) {
        const uint32_t done = size == 0   ? gather_words<1>(words, run)
                              : size == 1 ? gather_words<2>(words, run)
                                          : gather_words<4>(words, run);
        words += done * Partitions;
        run = behind(run, done);
    }
    gather_columns(words, 1U << size, run);
}

void scatter(const OwnPartitions& own, uint32_t size, Run run, const uint32_t* words) {
    if (fills_words(size, run)) {
        const uint32_t done = size == 0   ? scatter_words<1>(own, words, run)
                              : size == 1 ? scatter_words<2>(own, words, run)
                                          : scatter_words<4>(own, words, run);
        words += done * Partitions;
        run = behind(run, done);
    }
    if (run.columns != 0) scatter_columns(own, size, words, run);
}

void fill(uint32_t* to, uint32_t value, size_t words) {
    const Bits group = splat(value, GroupWords);
    for (; words > GroupWords; words -= GroupWords, to += GroupWords) store(to, group, GroupWords);
    store(to, group, lanes(words));
}

// A group is loaded into the registers from which the one before it is stored.
void copy(uint32_t* to, const uint32_t* from, size_t words) {
    if (words > GroupWords) {
        Bits group = load(from, GroupWords);
        for (; words > 2 * GroupWords; words -= GroupWords) {
            store(to, group, GroupWords);
            from += GroupWords;
            to += GroupWords;
            group = load(from, GroupWords);
        }
        store(to, group, GroupWords);
        words -= GroupWords;
        from += GroupWords;
        to += GroupWords;
    }
    const size_t vl = lanes(words);
    store(to, load(from, vl), vl);
}

}  // namespace trnsim::firmware
