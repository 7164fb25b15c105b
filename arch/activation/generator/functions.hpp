// The activation functions as mathematics, with the properties that the table generator needs.
#pragma once

#include <span>
#include <vector>

#include "arch/activation/generator/real.hpp"
#include "arch/activation/tables.hpp"
#include "isa/isa_tables.hpp"

namespace trnsim::activation {

struct Definition {
    isa::Activation function;
    Mode mode;
    int degree;
    Real (*value)(const Real&);
    // Results at the infinities and at both zeros.
    float at_plus_infinity;
    float at_minus_infinity;
    float at_plus_zero;
    float at_minus_zero;
    // For direct functions, operands of this exponent field and above give NaN (255: none).
    int first_undefined_field;
    // The neighbourhoods of these operands are expanded about the nearest fp32: the zeros of the function
    // except z = 0.
    std::vector<Real> zeros;
};

// Every function with a table.
std::span<const Definition> definitions();

struct SetDefinition {
    isa::ActivationSet set;
    std::vector<isa::Activation> functions;
};

std::span<const SetDefinition> set_definitions();

}  // namespace trnsim::activation
