// Builds Scalar instructions.
#pragma once

#include <bit>

#include "testbench/random_programs/vector_instructions.hpp"

namespace trnsim::random_programs {

struct Activate {
    isa::Activation function = isa::Activation::Copy;
    isa::ReduceCmd reduce = isa::ReduceCmd::Idle;
    Immediate scale{std::bit_cast<std::uint32_t>(1.0f)};
    Immediate bias{std::bit_cast<std::uint32_t>(-0.0f)};
    float alpha = 0;
    bool with_reduce = false;  // activation_reduce
};

// Uses only dst and a count of the tensors.
isa::Instruction activate(const Tensors& t, const Activate& how);
isa::Instruction act_read_accumulator(const Tensors& t);
isa::Instruction scalar_copy(const Tensors& t);
isa::Instruction scalar_operations(const Tensors& t, Operation op0, Immediate imm0, Operation op1,
                                   Immediate imm1);
isa::Instruction act_table_load(isa::ActivationSet set);

}  // namespace trnsim::random_programs
