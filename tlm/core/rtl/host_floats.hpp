// fp32 arithmetic on rows by the processor's own floating point unit, with what the lanes' arithmetic has (fp32_lane_pkg): subnormals
// flush in and out, tininess after rounding, nearest even, every NaN canonical. See host_floats.py.
#pragma once

#if defined(__FMA__) && defined(__AVX2__)
#define TRNSIM_HOST_FLOATS 1

#include <immintrin.h>

#include <cstddef>

namespace trnsim::host_floats {

// While there is one, the processor computes as the lanes do. Operands are read, results stored, within its life.
class Mode {
  public:
    Mode() : saved_(_mm_getcsr()) {
        constexpr unsigned FlushResults = 1u << 15, NoTraps = 0x3fu << 7,
                           FlushOperands = 1u << 6;  // nearest even is 0
        _mm_setcsr(FlushResults | NoTraps | FlushOperands);
        asm volatile("" ::: "memory");
    }
    ~Mode() {
        asm volatile("" ::: "memory");
        _mm_setcsr(saved_);
    }
    Mode(const Mode&) = delete;
    Mode& operator=(const Mode&) = delete;

  private:
    unsigned saved_;
};

// Eight lanes at a time.
template <typename Row, typename Operation, typename... Rows>
void rows(Row& result, Operation operation, const Rows&... operands) {
    constexpr std::size_t Lanes = sizeof(__m256) / sizeof(float), Words = sizeof(Row) / sizeof(float);
    static_assert(Words % Lanes == 0);
    const __m256 nan = _mm256_set1_ps(__builtin_nanf(""));
    const Mode mode;
    for (std::size_t k = 0; k < Words; k += Lanes) {
        const __m256 value =
            operation(_mm256_loadu_ps(reinterpret_cast<const float*>(&operands.m_storage[k]))...);
        const __m256 unordered = _mm256_cmp_ps(value, value, _CMP_UNORD_Q);
        _mm256_storeu_ps(reinterpret_cast<float*>(&result.m_storage[k]),
                         _mm256_blendv_ps(value, nan, unordered));
    }
}

template <typename Row>
void add(Row& result, const Row& a, const Row& b) {
    rows(
        result, [](__m256 x, __m256 y) { return _mm256_add_ps(x, y); }, a, b);
}

template <typename Row>
void subtract(Row& result, const Row& a, const Row& b) {
    rows(
        result, [](__m256 x, __m256 y) { return _mm256_sub_ps(x, y); }, a, b);
}

template <typename Row>
void multiply(Row& result, const Row& a, const Row& b) {
    rows(
        result, [](__m256 x, __m256 y) { return _mm256_mul_ps(x, y); }, a, b);
}

template <typename Row>
void multiply_add(Row& result, const Row& a, const Row& b, const Row& c) {
    rows(
        result, [](__m256 x, __m256 y, __m256 z) { return _mm256_fmadd_ps(x, y, z); }, a, b, c);
}

}  // namespace trnsim::host_floats
#endif
