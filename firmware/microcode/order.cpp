// sort, top_k: the order of each partition's elements, all partitions at once.
#include "firmware/microcode/columns.hpp"
#include "firmware/microcode/commands.hpp"

namespace trnsim::firmware {

namespace {

constexpr uint32_t MostSelected = 64;

Tensor row(uint32_t address, Dtype dtype) {
    return {address, dtype, {1, 0, 0, 0}};
}

// Keys are integers in the order of the elements: -NaN, -infinity, ..., -0, +0, ..., infinity, NaN. Applied
// twice: the bits again.
Ints in_order(Dtype dtype, Ints bits, size_t vl) {
    if (dtype == Dtype::U32) return as_ints(__riscv_vxor(as_bits(bits), 0x80000000U, vl));
    if (dtype != Dtype::Fp32) return bits;
    const Bits flip = __riscv_vsrl(as_bits(__riscv_vsra(bits, 31, vl)), 1, vl);
    return as_ints(__riscv_vxor(as_bits(bits), flip, vl));
}

Ints key_of(Dtype dtype, bool descending, Bits bits, size_t vl) {
    const Ints key = in_order(dtype, as_ints(bits), vl);
    return descending ? __riscv_vnot(key, vl) : key;
}

Bits element_of(Dtype dtype, bool descending, Bits key, size_t vl) {
    const Ints bits = as_ints(key);
    return as_bits(in_order(dtype, descending ? __riscv_vnot(bits, vl) : bits, vl));
}

struct Rows {
    OwnPartitions own;
    Tensor values, indices;
    uint32_t count;
    uint32_t at_once;  // columns of a group

    size_t lanes(uint32_t columns) const { return columns * own.count; }
    Bits load(const Tensor& tensor, uint32_t element, size_t vl) const {
        return load_bits(tensor.dtype, address_of(tensor, static_cast<int32_t>(element), own.first), vl);
    }
    void store(const Tensor& tensor, uint32_t element, Bits bits, size_t vl) const {
        store_bits(tensor.dtype, address_of(tensor, static_cast<int32_t>(element), own.first), bits, vl);
    }

    // Calls body(first column, columns, lanes) for columns from `begin` to `end`.
    template <class Body>
    void for_each(uint32_t begin, uint32_t end, Body&& body) const {
        while (begin < end) {
            const uint32_t columns = end - begin < at_once ? end - begin : at_once;
            body(begin, columns, lanes(columns));
            begin += columns;
        }
    }
};

// The smaller keys of columns `low` on to themselves, the larger ones to `high` on; equal ones by their
// indices.
void exchange(const Rows& rows, bool with_indices, uint32_t low, uint32_t high, size_t vl) {
    const Ints a = as_ints(rows.load(rows.values, low, vl)), b = as_ints(rows.load(rows.values, high, vl));
    if (!with_indices) {
        rows.store(rows.values, low, as_bits(__riscv_vmin(a, b, vl)), vl);
        rows.store(rows.values, high, as_bits(__riscv_vmax(a, b, vl)), vl);
        return;
    }
    const Bits i = rows.load(rows.indices, low, vl), j = rows.load(rows.indices, high, vl);
    const Mask later = __riscv_vmand(__riscv_vmseq(a, b, vl), __riscv_vmsgtu(i, j, vl), vl);
    const Mask swap = __riscv_vmor(__riscv_vmsgt(a, b, vl), later, vl);
    rows.store(rows.values, low, as_bits(__riscv_vmerge(a, b, swap, vl)), vl);
    rows.store(rows.values, high, as_bits(__riscv_vmerge(b, a, swap, vl)), vl);
    rows.store(rows.indices, low, __riscv_vmerge(i, j, swap, vl), vl);
    rows.store(rows.indices, high, __riscv_vmerge(j, i, swap, vl), vl);
}

// Batcher's merge exchange (Knuth, The Art of Computer Programming 3, algorithm 5.2.2M): a network for any
// number of elements.
void merge_exchange(const Rows& rows, bool with_indices) {
    uint32_t top = 1;
    while (2 * top < rows.count) top *= 2;
    if (rows.count < 2) return;
    for (uint32_t p = top; p != 0; p /= 2) {
        uint32_t distance = p, phase = 0;
        for (uint32_t q = top;; q /= 2) {
            // Runs of p columns, of which every other one takes part.
            for (uint32_t begin = phase; begin + distance < rows.count; begin += 2 * p) {
                const uint32_t limit = rows.count - distance;
                rows.for_each(begin, begin + p < limit ? begin + p : limit,
                              [&](uint32_t at, uint32_t, size_t vl) {
                                  exchange(rows, with_indices, at, at + distance, vl);
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

Status check_rows(uint32_t partition, uint32_t partitions, uint32_t count, const Tensor& tensor) {
    return check(Shape{partition, partitions, {count, 1, 1, 1}}, tensor);
}

}  // namespace

Status sort(const void* arguments) {
    const auto& args = *static_cast<const SortArguments*>(arguments);
    if (!has_order(args.dtype)) return Status::BadDtype;
    const bool descending = (args.flags & SortArguments::Descending) != 0;
    const bool with_indices = (args.flags & SortArguments::WithIndices) != 0;
    const Tensor a = row(args.a, args.dtype);
    const OwnPartitions own = own_partitions(args.partition, args.partitions);
    const Rows rows{own, row(args.dst, args.dtype), row(args.indices, Dtype::U32), args.count,
                    columns_at_once(own, a)};
    Status status = check_rows(args.partition, args.partitions, args.count, a);
    if (status == Status::Ok) status = check_rows(args.partition, args.partitions, args.count, rows.values);
    if (status == Status::Ok && with_indices) {
        status = check_rows(args.partition, args.partitions, args.count, rows.indices);
    }
    if (status != Status::Ok || own.count == 0) return status;

    rows.for_each(0, args.count, [&](uint32_t at, uint32_t, size_t vl) {
        rows.store(rows.values, at, as_bits(key_of(args.dtype, descending, rows.load(a, at, vl), vl)), vl);
        if (!with_indices) return;
        const Bits column = __riscv_vdivu(__riscv_vid_v_u32m4(vl), own.count, vl);
        rows.store(rows.indices, at, __riscv_vadd(column, at, vl), vl);
    });
    merge_exchange(rows, with_indices);
    rows.for_each(0, args.count, [&](uint32_t at, uint32_t, size_t vl) {
        rows.store(rows.values, at, element_of(args.dtype, descending, rows.load(rows.values, at, vl), vl),
                   vl);
    });
    return Status::Ok;
}

Status top_k(const void* arguments) {
    const auto& args = *static_cast<const TopKArguments*>(arguments);
    if (!has_order(args.dtype)) return Status::BadDtype;
    if (args.k == 0 || args.k > MostSelected || args.k > args.count) return Status::BadShape;
    const Tensor a = row(args.a, args.dtype);
    const OwnPartitions own = own_partitions(args.partition, args.partitions);
    const Rows rows{own, row(args.dst, args.dtype), row(args.indices, Dtype::U32), args.k, 1};
    Status status = check_rows(args.partition, args.partitions, args.count, a);
    if (status == Status::Ok) status = check_rows(args.partition, args.partitions, args.k, rows.values);
    if (status == Status::Ok) status = check_rows(args.partition, args.partitions, args.k, rows.indices);
    if (status != Status::Ok || own.count == 0) return status;

    // The columns kept are in descending order; each further column goes in at its place, and the last one
    // falls out.
    const size_t vl = own.count;
    for (uint32_t at = 0; at < args.count; ++at) {
        Ints key = key_of(args.dtype, false, rows.load(a, at, vl), vl);
        Bits index = __riscv_vmv_v_x_u32m4(at, vl);
        const uint32_t kept = at < args.k ? at : args.k;
        for (uint32_t k = 0; k < kept; ++k) {
            const Ints best = as_ints(rows.load(rows.values, k, vl));
            const Bits best_index = rows.load(rows.indices, k, vl);
            const Mask larger = __riscv_vmor(
                __riscv_vmsgt(key, best, vl),
                __riscv_vmand(__riscv_vmseq(key, best, vl), __riscv_vmsltu(index, best_index, vl), vl), vl);
            rows.store(rows.values, k, as_bits(__riscv_vmerge(best, key, larger, vl)), vl);
            rows.store(rows.indices, k, __riscv_vmerge(best_index, index, larger, vl), vl);
            key = __riscv_vmerge(key, best, larger, vl);
            index = __riscv_vmerge(index, best_index, larger, vl);
        }
        if (kept < args.k) {
            rows.store(rows.values, kept, as_bits(key), vl);
            rows.store(rows.indices, kept, index, vl);
        }
    }
    rows.for_each(0, args.k, [&](uint32_t k, uint32_t, size_t lanes) {
        rows.store(rows.values, k, element_of(args.dtype, false, rows.load(rows.values, k, lanes), lanes),
                   lanes);
    });
    return Status::Ok;
}

}  // namespace trnsim::firmware
