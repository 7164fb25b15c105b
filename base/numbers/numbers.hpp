// Arithmetic of counts.
#pragma once

#include <cstdint>
#include <limits>

namespace trnsim {

inline double as_double(std::uint64_t value) {
    return static_cast<double>(value);
}

// Returns 0 if the whole is 0.
inline double ratio(double part, double whole) {
    return whole > 0 ? part / whole : 0;
}

// Returns 0 if the whole is 0.
inline double percent(double part, double whole) {
    return whole > 0 ? 100 * part / whole : 0;
}

// Returns the sum, or the largest value where it does not fit.
inline std::uint64_t add_saturating(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t sum = a + b;
    return sum < a ? std::numeric_limits<std::uint64_t>::max() : sum;
}

}  // namespace trnsim
