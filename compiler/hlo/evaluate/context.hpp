// The declarations that the parts of the evaluator share.
#pragma once

#include <functional>
#include <memory>

#include "compiler/hlo/evaluate/evaluate.hpp"

namespace trnsim::hlo::evaluate {

// Counts memory and work against the limits of Options.
class Budget {
  public:
    explicit Budget(const Options& options) : memory_(options.memory), work_(options.work) {}

    // Throws Error when the cells would exceed what is left. They are given back when the last value that shares them
    // goes.
    static std::shared_ptr<Cells> allocate(const std::shared_ptr<Budget>& budget, std::size_t count);
    // Throws Error when the operations exceed what is left.
    void work(std::uint64_t operations);

  private:
    std::uint64_t memory_, work_;
};

// An instruction with the values of its operands.
struct Operation {
    const Module& module;
    const Instruction& instruction;
    std::span<const Value> operands;
    const std::shared_ptr<Budget>& budget;
    // Calls a computation of the module with these arguments.
    const std::function<Value(const Computation&, std::vector<Value>)>& call;

    const Attributes& attributes() const { return instruction.attributes; }
    const Shape& shape() const { return instruction.shape; }
    const Value& operand(std::size_t at) const { return operands[at]; }
    const Computation& called(std::size_t at) const { return module.computations[instruction.called[at]]; }
    std::shared_ptr<Cells> allocate(std::size_t count) const { return Budget::allocate(budget, count); }
    std::shared_ptr<Cells> allocate(const Integers& dimensions) const {
        return allocate(static_cast<std::size_t>(elements(dimensions)));
    }
    void work(std::uint64_t operations) const { budget->work(operations); }
};

inline Value array_of(ElementType type, Integers dimensions, std::shared_ptr<Cells> cells) {
    return {type, std::move(dimensions), std::move(cells), {}};
}
inline Value tuple_of_values(std::vector<Value> values) {
    return {ElementType::Tuple, {}, nullptr, std::move(values)};
}
// One value as it is, several as a tuple.
inline Value one_or_tuple(std::vector<Value> values) {
    return values.size() == 1 ? std::move(values.front()) : tuple_of_values(std::move(values));
}

// Evaluates an instruction that reads its operands and nothing else.
using Evaluate = Value (*)(const Operation&);

// The functions of an opcode, or nullptr where another file has them.
Evaluate elementwise_evaluation(Opcode opcode);
Evaluate movement_evaluation(Opcode opcode);
Evaluate indexed_evaluation(Opcode opcode);
Evaluate contraction_evaluation(Opcode opcode);
Evaluate reduction_evaluation(Opcode opcode);
Evaluate window_evaluation(Opcode opcode);
Evaluate normalisation_evaluation(Opcode opcode);
Evaluate sorting_evaluation(Opcode opcode);
Evaluate random_evaluation(Opcode opcode);

}  // namespace trnsim::hlo::evaluate
