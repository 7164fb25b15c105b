// The commands sort and top_k: they order the elements of each partition, all partitions at once.
#include "firmware/microcode/columns.hpp"
#include "firmware/microcode/commands.hpp"
#include "firmware/microcode/operand.hpp"

namespace trnsim::firmware {

namespace {

// Turns elements into keys, integers with the same order: -NaN, -infinity, ..., -0, +0, ..., infinity, NaN.
// Applied twice it gives the bits again.
HalfInts in_order(Dtype dtype, HalfInts bits, size_t vl) {
    if (dtype == Dtype::U32) return as_ints(__riscv_vxor(as_bits(bits), 0x80000000U, vl));
    if (dtype != Dtype::Fp32) return bits;
    const HalfBits flip = __riscv_vsrl(as_bits(__riscv_vsra(bits, 31, vl)), 1, vl);
    return as_ints(__riscv_vxor(as_bits(bits), flip, vl));
}

HalfInts key_of(Dtype dtype, bool descending, HalfBits bits, size_t vl) {
    const HalfInts key = in_order(dtype, as_ints(bits), vl);
    return descending ? __riscv_vnot(key, vl) : key;
}

HalfBits element_of(Dtype dtype, bool descending, HalfBits key, size_t vl) {
    const HalfInts bits = as_ints(key);
    return as_bits(in_order(dtype, descending ? __riscv_vnot(bits, vl) : bits, vl));
}

struct Rows {
    uint32_t* values;
    uint32_t* indices;  // null if indices are not wanted
    uint32_t count;
};

// Calls body(first word, lanes) for the words of columns from `begin` to `end`.
template <class Body>
void for_groups(uint32_t begin, uint32_t end, Body&& body) {
    for (uint32_t word = begin * Partitions; word < end * Partitions; word += HalfWords) {
        body(word, half_lanes(end * Partitions - word));
    }
}

HalfInts load_keys(const uint32_t* from, size_t vl) {
    return as_ints(load_half(from, vl));
}

// In the lanes of the mask, puts the smaller keys at the words from `low` on and the larger ones at those
// from `high` on; equal keys are ordered by their indices.
template <bool WithIndices>
void exchange(const Rows& rows, HalfMask mask, uint32_t low, uint32_t high, size_t vl) {
    const HalfInts a = load_keys(rows.values + low, vl), b = load_keys(rows.values + high, vl);
    if constexpr (!WithIndices) {
        store(mask, rows.values + low, __riscv_vmin(a, b, vl), vl);
        store(mask, rows.values + high, __riscv_vmax(a, b, vl), vl);
        return;
    }
    const HalfBits i = load_half(rows.indices + low, vl), j = load_half(rows.indices + high, vl);
    const HalfMask later = __riscv_vmand(__riscv_vmseq(a, b, vl), __riscv_vmsgtu(i, j, vl), vl);
    const HalfMask swap = __riscv_vmand(mask, __riscv_vmor(__riscv_vmsgt(a, b, vl), later, vl), vl);
    // Unchanged lanes are not written.
    store(swap, rows.values + low, b, vl);
    store(swap, rows.values + high, a, vl);
    store(swap, rows.indices + low, j, vl);
    store(swap, rows.indices + high, i, vl);
}

// Batcher's merge exchange (Knuth, The Art of Computer Programming 3, algorithm 5.2.2M), a sorting network
// for any number of elements.
template <bool WithIndices>
void merge_exchange(const Rows& rows, HalfMask own) {
    uint32_t top = 1;
    while (2 * top < rows.count) top *= 2;
    if (rows.count < 2) return;
    for (uint32_t p = top; p != 0; p /= 2) {
        // Every other run of p columns takes part. Runs are done one by one, or all at once if a group holds
        // several.
        const uint32_t run = p < HalfColumns ? rows.count : p;
        HalfMask mask = own;
        if (p < HalfColumns) {
            const HalfBits column = __riscv_vsrl(__riscv_vid_v_u32m4(HalfWords), PartitionsLog2, HalfWords);
            mask = __riscv_vmseq(__riscv_vand(column, p, HalfWords), 0, HalfWords);
            mask = __riscv_vmand(mask, own, HalfWords);
        }
        uint32_t distance = p, phase = 0;
        for (uint32_t q = top;; q /= 2) {
            const uint32_t limit = rows.count - distance;
            for (uint32_t begin = phase; begin < limit; begin += 2 * run) {
                for_groups(begin, begin + run < limit ? begin + run : limit, [&](uint32_t word, size_t vl) {
                    exchange<WithIndices>(rows, mask, word, word + distance * Partitions, vl);
                });
            }
            if (q == p) break;
            distance = q - p;
            phase = p;
        }
    }
}

bool has_order(Dtype dtype) {
    return dtype == Dtype::I32 || dtype == Dtype::U32 || dtype == Dtype::Fp32;
}

// A tensor of contiguous words.
Tensor row(uint32_t address) {
    return {address, Dtype::U32, {1, 0, 0, 0}};
}

}  // namespace

Status sort(const void* arguments) {
    const auto& args = *static_cast<const SortArguments*>(arguments);
    const auto& [partition, partitions, dst, a, indices, dtype, count, flags] = args;
    if (!has_order(dtype)) return Status::BadDtype;
    const bool descending = (flags & SortArguments::Descending) != 0;
    const bool with_indices = (flags & SortArguments::WithIndices) != 0;
    Work work;
    Status status = prepare(work, {partition, partitions, {count, 1, 1, 1}}, row(a), row(dst));
    if (status == Status::Ok && with_indices) status = check_tensor(work, row(indices));
    if (status != Status::Ok) return status;
    if (work.own.count == 0) return Status::Ok;

    const HalfMask mask = own_half_lanes(work.own, HalfWords);
    const Rows rows{word_of(dst), with_indices ? word_of(indices) : nullptr, count};
    const uint32_t* from = word_of(a);
    for_groups(0, count, [&](uint32_t word, size_t vl) {
        store(mask, rows.values + word, key_of(dtype, descending, load_half(from + word, vl), vl), vl);
        if (!with_indices) return;
        const HalfBits place = __riscv_vadd(__riscv_vid_v_u32m4(vl), word, vl);
        store(mask, rows.indices + word, __riscv_vsrl(place, PartitionsLog2, vl), vl);
    });
    with_indices ? merge_exchange<true>(rows, mask) : merge_exchange<false>(rows, mask);
    for_groups(0, count, [&](uint32_t word, size_t vl) {
        const HalfBits key = load_half(rows.values + word, vl);
        store(mask, rows.values + word, element_of(dtype, descending, key, vl), vl);
    });
    return Status::Ok;
}

namespace {

// The columns that are kept, in descending order, and their places in the input.
Buffer& kept_keys = buffers[0];
Buffer& kept_places = buffers[1];

HalfBits all_columns(Column v) {
    return half_group([&]<uint32_t> { return v; });
}
HalfInts all_columns(KeyColumn v) {
    return as_ints(all_columns(as_bits(v)));
}

// Inserts a column into the first `columns` that are kept; the last of these is dropped. Among equal keys the
// one with the smaller place comes first.
void insert(KeyColumn key, Column place, uint32_t columns) {
    constexpr uint32_t Last = HalfColumns - 1;
    for_groups(0, columns, [&](uint32_t word, size_t vl) {
        const HalfInts keys = load_keys(kept_keys + word, vl), new_keys = all_columns(key);
        const HalfBits places = load_half(kept_places + word, vl), new_places = all_columns(place);
        const KeyColumn last = column<Last>(keys);
        const Column last_place = column<Last>(places);
        const HalfInts keys_before = __riscv_vslideup(new_keys, keys, Partitions, vl);
        const HalfBits places_before = __riscv_vslideup(new_places, places, Partitions, vl);
        const auto comes_before = [&](HalfInts kept, HalfBits kept_place) {
            const HalfMask earlier = __riscv_vmsltu(new_places, kept_place, vl);
            return __riscv_vmor(__riscv_vmsgt(new_keys, kept, vl),
                                __riscv_vmand(__riscv_vmseq(new_keys, kept, vl), earlier, vl), vl);
        };
        const HalfMask moves = comes_before(keys, places);
        const HalfBits place_replacing =
            __riscv_vmerge(new_places, places_before, comes_before(keys_before, places_before), vl);
        const HalfInts replacing = __riscv_vmin(new_keys, keys_before, vl);
        store(kept_keys + word, __riscv_vmerge(keys, replacing, moves, vl), vl);
        store(kept_places + word, __riscv_vmerge(places, place_replacing, moves, vl), vl);
        // The column that drops out of this group goes into the next one.
        const auto falls_out =
            __riscv_vmor(__riscv_vmsgt(key, last, Partitions),
                         __riscv_vmand(__riscv_vmseq(key, last, Partitions),
                                       __riscv_vmsltu(place, last_place, Partitions), Partitions),
                         Partitions);
        place = __riscv_vmerge(place, last_place, falls_out, Partitions);
        key = __riscv_vmin(key, last, Partitions);
    });
}

}  // namespace

Status top_k(const void* arguments) {
    const auto& args = *static_cast<const TopKArguments*>(arguments);
    const auto& [partition, partitions, dst, a, indices, dtype, count, k] = args;
    if (!has_order(dtype)) return Status::BadDtype;
    if (k == 0 || k > BufferColumns || k > count) return Status::BadShape;
    Work work;
    Status status = prepare(work, {partition, partitions, {count, 1, 1, 1}}, row(a));
    if (status == Status::Ok)
        status = prepare(work, {partition, partitions, {k, 1, 1, 1}}, row(dst), row(indices));
    if (status != Status::Ok) return status;
    if (work.own.count == 0) return Status::Ok;

    const HalfMask mask = own_half_lanes(work.own, HalfWords);
    for (uint32_t at = 0; at < count; ++at) {
        const HalfInts key = key_of(dtype, false, load_half(word_of(a + 4 * at), Partitions), Partitions);
        if (at < k) {
            // Keeps one more column, with the least possible key. The new column replaces it unless the two
            // are the same.
            fill(kept_keys + at * Partitions, 0x80000000, Partitions);
            fill(kept_places + at * Partitions, at, Partitions);
        } else {
            const HalfInts least = load_keys(kept_keys + (k - 1) * Partitions, Partitions);
            const HalfMask enters = __riscv_vmand(__riscv_vmsgt(key, least, Partitions), mask, Partitions);
            if (__riscv_vfirst(enters, Partitions) < 0) continue;
        }
        insert(column<0>(key), spread(at), at < k ? at + 1 : k);
    }
    for_groups(0, k, [&](uint32_t word, size_t vl) {
        const HalfBits key = load_half(kept_keys + word, vl);
        store(mask, word_of(dst) + word, element_of(dtype, false, key, vl), vl);
        store(mask, word_of(indices) + word, load_half(kept_places + word, vl), vl);
    });
    return Status::Ok;
}

}  // namespace trnsim::firmware
