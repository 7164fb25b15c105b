// Tensors in the slice: checks, and a walk over their columns. A column is one element of every partition of
// the core.
#pragma once

#include "firmware/runtime/operation.hpp"
#include "trnsim/microcode.hpp"
#include "trnsim/slice.hpp"

namespace trnsim::firmware {

// Those partitions of a command that are this core's.
struct OwnPartitions {
    uint32_t first;  // of the core
    uint32_t count;
    uint32_t skipped;  // partitions of the command that are those of cores before
};

inline OwnPartitions own_partitions(uint32_t partition, uint32_t partitions) {
    const uint32_t begin = mailbox.core * Partitions, end = begin + Partitions;
    const uint32_t from = partition > begin ? partition : begin;
    const uint32_t to = partition + partitions < end ? partition + partitions : end;
    if (from >= to) return {0, 0, 0};
    return {from - begin, to - from, from - partition};
}

inline bool is_float(Dtype dtype) {
    return dtype == Dtype::Fp32 || dtype == Dtype::Bf16;
}

Status check_shape(const Shape& shape);
Status check_tensor(const Shape& shape, const Tensor& tensor);

template <class... Tensors>
Status check(const Shape& shape, const Tensors&... tensors) {
    Status status = check_shape(shape);
    ((status = status == Status::Ok ? check_tensor(shape, tensors) : status), ...);
    return status;
}

// Address of an element of a partition of the core.
inline uint32_t address_of(const Tensor& tensor, int32_t element, uint32_t partition) {
    return slice_address(partition,
                         tensor.address + (static_cast<uint32_t>(element) << size_log2(tensor.dtype)));
}

// Whether elements of neighbouring columns stand side by side in all partitions.
inline bool is_dense(const OwnPartitions& own, const Tensor& tensor) {
    return own.count == Partitions && size_log2(tensor.dtype) == 2 && tensor.step[0] == 1;
}

// Calls body(at, columns) for every `columns` columns at most, innermost first; at[t] is the element of
// steps[t] at the first.
template <uint32_t Count, class Body>
void walk(const Shape& shape, uint32_t columns, const int32_t* const (&steps)[Count], Body&& body) {
    uint32_t index[4] = {0, 0, 0, 0};
    int32_t row[Count] = {};
    for (;;) {
        int32_t at[Count];
        for (uint32_t t = 0; t < Count; ++t) at[t] = row[t];
        for (uint32_t done = 0; done < shape.count[0];) {
            const uint32_t left = shape.count[0] - done;
            const uint32_t now = left < columns ? left : columns;
            body(at, now);
            for (uint32_t t = 0; t < Count; ++t) at[t] += static_cast<int32_t>(now) * steps[t][0];
            done += now;
        }
        uint32_t axis = 1;
        for (; axis < 4; ++axis) {
            for (uint32_t t = 0; t < Count; ++t) row[t] += steps[t][axis];
            if (++index[axis] < shape.count[axis]) break;
            for (uint32_t t = 0; t < Count; ++t) {
                row[t] -= static_cast<int32_t>(shape.count[axis]) * steps[t][axis];
            }
            index[axis] = 0;
        }
        if (axis == 4) return;
    }
}

}  // namespace trnsim::firmware
