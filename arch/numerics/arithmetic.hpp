// The engines' fp32 arithmetic on the host's own floating-point unit: one rounding (nearest even), subnormals
// flushed on the way in and out with tininess after rounding, every NaN result canonical.
#pragma once

#include <span>

namespace trnsim::numerics {

// Returns stationary * moving + acc, rounded once: one processing element of the tensor engine.
float fma_step(float stationary, float moving, float acc);

float add(float a, float b);
float subtract(float a, float b);
float multiply(float a, float b);
float reciprocal(float a);  // 1 / a; infinity of the same sign for a zero or subnormal

// Return NaN if either operand is NaN; max(+0, -0) = +0, min(+0, -0) = -0, also for subnormal operands, which
// are zeros here.
float maximum(float a, float b);
float minimum(float a, float b);

// Sets acc[i] = stationary[i] * moving[i] + acc[i]; the same as fma_step, for many elements.
void fma_steps(std::span<const float> stationary, std::span<const float> moving, std::span<float> acc);

}  // namespace trnsim::numerics
