// The number of an iteration for slices of tensors.
#pragma once

#include <cstdint>

#include "compiler/builder/resources.hpp"

namespace trnsim::builder {

// `first` in iteration 0 of a loop, and `step` more in each later iteration.
struct LoopOffset {
    std::uint32_t loop = 0;  // counted from 1
    std::uint32_t iterations = 1;
    std::int64_t first = 0, step = 0;
    BuilderNumber builder = NoBuilder;
    bool nests = false;  // a view may have slices of other loops as well
};

// The argument of the body of a loop: 0, 1, ... in its iterations. The body is called once, when the kernel
// is written, so this is no number: `i * step + offset`, with numbers for both, is the beginning of a slice.
class LoopIndex {
  public:
    LoopIndex(std::uint32_t loop, std::uint32_t iterations, BuilderNumber builder, bool nests = false)
        : offset_{loop, iterations, 0, 1, builder, nests} {}

    operator LoopOffset() const { return offset_; }  // NOLINT: it is one
    std::uint32_t iterations() const { return offset_.iterations; }

  private:
    LoopOffset offset_;
};

inline LoopOffset operator+(LoopOffset offset, std::int64_t more) {
    offset.first += more;
    return offset;
}
inline LoopOffset operator+(std::int64_t more, const LoopOffset& offset) {
    return offset + more;
}
inline LoopOffset operator-(const LoopOffset& offset, std::int64_t less) {
    return offset + -less;
}
inline LoopOffset operator*(LoopOffset offset, std::int64_t times) {
    offset.first *= times;
    offset.step *= times;
    return offset;
}
inline LoopOffset operator*(std::int64_t times, const LoopOffset& offset) {
    return offset * times;
}
inline LoopOffset operator-(std::int64_t from, const LoopOffset& offset) {
    return offset * -1 + from;
}

// Deleted: descriptors of transfers, and so slices, step by a constant from one iteration to the next.
LoopOffset operator*(const LoopOffset& offset, const LoopOffset& times) = delete;
LoopOffset operator/(const LoopOffset& offset, std::int64_t by) = delete;
LoopOffset operator%(const LoopOffset& offset, std::int64_t by) = delete;

}  // namespace trnsim::builder
