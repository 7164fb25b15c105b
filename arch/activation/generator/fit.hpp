// Polynomials with fp32 coefficients about one expansion point.
#pragma once

#include <vector>

#include "arch/activation/generator/functions.hpp"

namespace trnsim::activation {

// A part of the operand axis, low < high, both of one sign; `scale` as in Segment.
struct Interval {
    float low;
    float high;
    int scale;
};

struct Fit {
    Row row;
    // The largest error, on a grid, of the polynomial as the hardware computes it, in units of the last
    // place.
    double error;
};

// Fits about x0; the constant coefficient is the rounded value there.
Fit fit_about(const Definition& f, const Interval& interval, float x0);

// Fits about a point near the middle where the function's value is close to an fp32 number.
Fit fit_inside(const Definition& f, const Interval& interval);

// Returns whether the function is so small on the whole interval that it reads as zero.
bool vanishes(const Definition& f, const Interval& interval);

}  // namespace trnsim::activation
