// Seeds and scale of constrained-random tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace trnsim::test {

// Returns the multiplier of the number of random cases: 1 in the quick set, TRNSIM_TEST_SCALE in the full
// one.
inline std::uint64_t scale() {
    const char* text = std::getenv("TRNSIM_TEST_SCALE");
    return text ? std::strtoull(text, nullptr, 0) : 1;
}

// Returns the multiplier of cases that take long, such as whole kernels.
inline std::uint64_t heavy_scale() {
    return std::max<std::uint64_t>(scale() / 10, 1);
}

// Returns the seed of this run: TRNSIM_TEST_SEED or a fixed default. It is printed, so that a failure can be
// repeated.
inline std::uint64_t seed() {
    static const std::uint64_t value = [] {
        const char* text = std::getenv("TRNSIM_TEST_SEED");
        const std::uint64_t chosen = text ? std::strtoull(text, nullptr, 0) : 20260101;
        std::printf("TRNSIM_TEST_SEED=%llu\n", static_cast<unsigned long long>(chosen));
        return chosen;
    }();
    return value;
}

inline std::mt19937_64 generator() {
    return std::mt19937_64(seed());
}

}  // namespace trnsim::test
