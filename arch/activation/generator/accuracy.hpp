// Error of the activation functions against MPFR.
#pragma once

#include <cstdint>

#include "arch/activation/generator/functions.hpp"

namespace trnsim::activation {

struct Worst {
    double units = 0;  // units of the last place of the exact result
    std::uint32_t operand = 0;
    // Special results (zero, infinity, NaN) that differ from those of the definition.
    std::uint64_t mismatches = 0;

    void take(const Worst& other) {
        if (other.units > units) {
            units = other.units;
            operand = other.operand;
        }
        if (mismatches == 0 && other.mismatches != 0) operand = other.operand;
        mismatches += other.mismatches;
    }
};

// Returns the error of activate() at one operand, given by its fp32 bits. Next to the overflow and the flush
// boundary either result counts as right; below 2^-126 an exact result counts as zero.
Worst error_at(const Definition& f, std::uint32_t operand);

// Return the worst error over every bf16 operand, and over `count` random fp32 operands, most of them where
// the function is neither zero nor its own limit.
Worst error_over_bf16(const Definition& f);
Worst error_over_random(const Definition& f, std::uint64_t count, std::uint64_t seed);

}  // namespace trnsim::activation
