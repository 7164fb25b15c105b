#include "testbench/random_programs/scalar_kinds.hpp"

#include <bit>

#include "arch/activation/activation.hpp"
#include "arch/target/dtype.hpp"
#include "testbench/random_programs/scalar_instructions.hpp"
#include "testbench/random_programs/values.hpp"

namespace trnsim::random_programs {
namespace {

constexpr unsigned Functions = 26;

Operation operation(LaneGenerator& g) {
    return {g.any(std::array{isa::AluOp::Bypass, isa::AluOp::Add, isa::AluOp::Multiply}), g.pick(2) == 0};
}

isa::Instruction any_activation(LaneGenerator& g, const Tensors& t) {
    Activate how;
    do how.function = static_cast<isa::Activation>(g.pick(Functions));
    while (!activation::in_set(how.function, g.table_set));
    how.reduce = static_cast<isa::ReduceCmd>(g.pick(4));
    how.with_reduce = how.reduce != isa::ReduceCmd::Idle && g.pick(2) == 0;
    if (g.pick(2) == 0) how.scale = g.immediate(t);
    if (g.pick(2) == 0) how.bias = g.immediate(t, target::bias_types());
    how.alpha = std::bit_cast<float>(g.word());
    return activate(t, how);
}

}  // namespace

isa::Instruction any_table_load(LaneGenerator& generator) {
    generator.table_set = static_cast<isa::ActivationSet>(1 + generator.pick(6));
    return act_table_load(generator.table_set);
}

const std::vector<Kind>& scalar_kinds() {
    using G = LaneGenerator;
    using T = Tensors;
    static const std::vector<Kind> all{
        {any_activation},
        {any_activation},
        {any_activation},
        {[](G&, const T& t) { return scalar_copy(t); }},
        {[](G& g, const T& t) {
            return scalar_operations(t, operation(g), g.immediate(t), operation(g), g.immediate(t));
        }},
        {.make = [](G&, const T& t) { return act_read_accumulator(t); }, .reads_a = false, .most = 1},
        {.make = [](G& g, const T&) { return any_table_load(g); }, .reads_a = false},
    };
    return all;
}

}  // namespace trnsim::random_programs
