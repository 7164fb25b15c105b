// Builds Vector instructions.
#pragma once

#include <array>
#include <cstdint>

#include "isa/instruction.hpp"
#include "testbench/random_programs/area.hpp"

namespace trnsim::random_programs {

using Counts = std::array<unsigned, 4>;  // innermost first

struct RandomOperand {
    bool psum = false;
    unsigned partition = 0;
    std::uint32_t offset = 0;  // bytes within a partition
    isa::Dtype dtype = isa::Dtype::Fp32;
    std::array<int, 4> step{1, 0, 0, 0};  // elements

    std::uint32_t address() const { return (psum ? PsumBase + (partition << 14) : partition << 18) + offset; }
};

// An immediate: a constant, or the address of a [partitions,1] operand.
struct Immediate {
    std::uint32_t value = 0;
    bool vector = false;
    isa::Dtype dtype = isa::Dtype::Fp32;
};

struct Operation {
    isa::AluOp op = isa::AluOp::Bypass;
    bool reverse = false;
};

struct Tensors {
    unsigned partitions = Lanes;
    Counts count{1, 1, 1, 1};
    RandomOperand dst, a, b;
};

// Set parts that instructions of every engine have.
void set_shape(isa::Instruction& i, const Tensors& t);
void set_dst(isa::Instruction& i, const RandomOperand& dst);
void set_a(isa::Instruction& i, const RandomOperand& a);

isa::Instruction tensor_copy(const Tensors& t);
isa::Instruction memset(const Tensors& t, Immediate value);
isa::Instruction tensor_tensor(const Tensors& t, Operation op);
isa::Instruction tensor_scalar(const Tensors& t, Operation op0, Immediate imm0, Operation op1,
                               Immediate imm1);
isa::Instruction scalar_tensor_tensor(const Tensors& t, Operation op0, Immediate imm0, Operation op1);
isa::Instruction tensor_scalar_reduce(const Tensors& t, Operation op0, Immediate imm0, isa::AluOp op1,
                                      isa::ReduceCmd cmd, Immediate imm1 = {});
isa::Instruction read_accumulator(const Tensors& t);
isa::Instruction tensor_tensor_scan(const Tensors& t, Operation op0, Operation op1, Immediate first);
isa::Instruction tensor_scalar_cumulative(const Tensors& t, Operation op0, Immediate imm0, Operation op1);
isa::Instruction tensor_reduce(const Tensors& t, isa::AluOp op, unsigned axes, bool negate = false);
isa::Instruction tensor_copy_predicated(const Tensors& t, bool invert = false);
isa::Instruction predicated_immediate(const Tensors& t, Immediate value, bool invert = false);
isa::Instruction select_reduce(const Tensors& t, Immediate other, isa::ReduceCmd cmd = isa::ReduceCmd::Idle,
                               bool invert = false);
isa::Instruction bn_stats(const Tensors& t);
isa::Instruction bn_aggr(const Tensors& t);
isa::Instruction reciprocal(const Tensors& t);

isa::Instruction rng(const Tensors& t);
isa::Instruction dropout(const Tensors& t, Immediate probability);
isa::Instruction set_rng_seed(const RandomOperand& seed);
isa::Instruction max8(const Tensors& t);
isa::Instruction find_index8(const Tensors& t);
isa::Instruction match_replace8(const Tensors& t, Immediate replacement);
// Entry i is the row of a quadrant that row i takes, 255 for none.
using ShuffleMask = std::array<std::uint8_t, Quadrant>;
isa::Instruction load_shuffle_mask(const ShuffleMask& mask);
isa::Instruction stream_shuffle(const Tensors& t);
isa::Instruction transpose_block(const Tensors& t);

}  // namespace trnsim::random_programs
