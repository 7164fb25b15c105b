// Walks over arrays.
#pragma once

#include <cstddef>

#include "compiler/hlo/shape.hpp"

namespace trnsim::hlo::evaluate {

// Steps in cells of each dimension of a row-major array.
inline Integers strides(const Integers& dimensions) {
    Integers result(dimensions.size(), 1);
    for (std::size_t d = dimensions.size(); d-- > 1;) result[d - 1] = result[d] * dimensions[d];
    return result;
}

// Calls visit(offset) for each index of `dimensions` in row-major order, where the offset is that index in steps.
template <typename Visit>
void each_offset(const Integers& dimensions, const Integers& steps, std::int64_t offset, const Visit& visit) {
    const std::size_t rank = dimensions.size();
    if (elements(dimensions) == 0) return;
    if (rank == 0) {
        visit(offset);
        return;
    }
    Integers index(rank, 0);
    const std::int64_t inner = dimensions[rank - 1], step = steps[rank - 1];
    while (true) {
        for (std::int64_t i = 0, at = offset; i < inner; ++i, at += step) visit(at);
        std::size_t d = rank - 1;
        while (true) {
            if (d == 0) return;
            --d;
            offset += steps[d];
            if (++index[d] < dimensions[d]) break;
            offset -= steps[d] * index[d];
            index[d] = 0;
        }
    }
}

// Steps `index` to the next one of `dimensions`, in row-major order. Returns false after the last.
inline bool advance(Integers& index, const Integers& dimensions) {
    for (std::size_t d = dimensions.size(); d-- > 0;) {
        if (++index[d] < dimensions[d]) return true;
        index[d] = 0;
    }
    return false;
}

}  // namespace trnsim::hlo::evaluate
