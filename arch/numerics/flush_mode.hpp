// Host floating point in the mode of the engines: subnormal operands read as zero, subnormal results become
// zero.
#pragma once

#include <xmmintrin.h>

namespace trnsim::numerics {

// Sets flush-to-zero and denormals-are-zero of this thread, round to nearest even, exceptions masked;
// restores on destruction.
class FlushMode {
  public:
    FlushMode() : saved_(_mm_getcsr()) { _mm_setcsr(MaskAll | FlushToZero | DenormalsAreZero); }
    ~FlushMode() { _mm_setcsr(saved_); }
    FlushMode(const FlushMode&) = delete;
    FlushMode& operator=(const FlushMode&) = delete;

  private:
    static constexpr unsigned MaskAll = 0x1f80;
    static constexpr unsigned FlushToZero = 0x8000;
    static constexpr unsigned DenormalsAreZero = 0x0040;
    unsigned saved_;
};

}  // namespace trnsim::numerics
