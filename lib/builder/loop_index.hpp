// The number of an iteration, as far as slices of tensors can use it.
#pragma once

#include <cstdint>

namespace trnsim::builder {

// `first` in iteration 0 of a loop, `step` more in each that follows.
struct LoopOffset {
    std::uint32_t loop = 0;  // counted from 1
    std::uint32_t iterations = 1;
    std::int64_t first = 0, step = 0;
};

// What the body of a loop is given: 0, 1, ... in its iterations. The body is called once, when the kernel is
// written, so this is no number: `i * step + offset` says where a slice begins, with numbers for both.
class LoopIndex {
  public:
    LoopIndex(std::uint32_t loop, std::uint32_t iterations) : loop_(loop), iterations_(iterations) {}

    operator LoopOffset() const { return {loop_, iterations_, 0, 1}; }  // NOLINT: it is one
    std::uint32_t iterations() const { return iterations_; }

  private:
    std::uint32_t loop_, iterations_;
};

inline LoopOffset operator+(const LoopOffset& offset, std::int64_t more) {
    return {offset.loop, offset.iterations, offset.first + more, offset.step};
}
inline LoopOffset operator+(std::int64_t more, const LoopOffset& offset) {
    return offset + more;
}
inline LoopOffset operator-(const LoopOffset& offset, std::int64_t less) {
    return offset + -less;
}
inline LoopOffset operator-(std::int64_t from, const LoopOffset& offset) {
    return {offset.loop, offset.iterations, from - offset.first, -offset.step};
}
inline LoopOffset operator*(const LoopOffset& offset, std::int64_t times) {
    return {offset.loop, offset.iterations, offset.first * times, offset.step * times};
}
inline LoopOffset operator*(std::int64_t times, const LoopOffset& offset) {
    return offset * times;
}

// Descriptors of transfers step by a constant from one iteration to the next: slices have to.
LoopOffset operator*(const LoopOffset& offset, const LoopOffset& times) = delete;
LoopOffset operator/(const LoopOffset& offset, std::int64_t by) = delete;
LoopOffset operator%(const LoopOffset& offset, std::int64_t by) = delete;

}  // namespace trnsim::builder
