#include "arch/numerics/arithmetic.hpp"

#include <cmath>
#include <cstddef>

#include "arch/numerics/flush_mode.hpp"
#include "arch/numerics/format.hpp"

#ifndef __FMA__
#error \
    "build this file for a processor with fused multiply-add: a software std::fma does not flush as the hardware does"
#endif

namespace trnsim::numerics {
namespace {

float canonical(float value) {
    return std::isnan(value) ? float_of(CanonicalNan) : value;
}
float flushed(float value) {
    return std::fabs(value) < 0x1p-126f ? std::copysign(0.0f, value) : value;
}

// The function is out of line so that no arithmetic moves across a change of mode.
[[gnu::noinline]] float host_fma(float a, float b, float c) {
    return canonical(std::fma(a, b, c));
}
[[gnu::noinline]] float host_add(float a, float b) {
    return canonical(a + b);
}
[[gnu::noinline]] float host_multiply(float a, float b) {
    return canonical(a * b);
}

[[gnu::noinline]] float host_reciprocal(float a) {
    return canonical(1.0f / a);
}

[[gnu::noinline]] void host_fma(const float* a, const float* b, float* acc, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) acc[i] = canonical(std::fma(a[i], b[i], acc[i]));
}

}  // namespace

float fma_step(float stationary, float moving, float acc) {
    const FlushMode mode;
    return host_fma(stationary, moving, acc);
}

float add(float a, float b) {
    const FlushMode mode;
    return host_add(a, b);
}

float subtract(float a, float b) {
    return add(a, -b);
}

float multiply(float a, float b) {
    const FlushMode mode;
    return host_multiply(a, b);
}

float reciprocal(float a) {
    const FlushMode mode;
    return host_reciprocal(a);
}

float maximum(float a, float b) {
    if (std::isnan(a) || std::isnan(b)) return float_of(CanonicalNan);
    const float x = flushed(a);
    const float y = flushed(b);
    if (x == y) return std::signbit(x) ? y : x;
    return x > y ? x : y;
}

float minimum(float a, float b) {
    if (std::isnan(a) || std::isnan(b)) return float_of(CanonicalNan);
    const float x = flushed(a);
    const float y = flushed(b);
    if (x == y) return std::signbit(x) ? x : y;
    return x < y ? x : y;
}

void fma_steps(std::span<const float> stationary, std::span<const float> moving, std::span<float> acc) {
    const FlushMode mode;
    host_fma(stationary.data(), moving.data(), acc.data(), acc.size());
}

}  // namespace trnsim::numerics
