// The view of an instruction that the shape rules have.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "compiler/hlo/error.hpp"
#include "compiler/hlo/module.hpp"

namespace trnsim::hlo {

struct Site {
    const Module& module;
    const Computation& computation;
    const Instruction& instruction;

    std::size_t operands() const { return instruction.operands.size(); }
    const Shape& shape() const { return instruction.shape; }
    const Attributes& attributes() const { return instruction.attributes; }
    const Shape& operand(std::size_t at) const {
        return computation.instructions[instruction.operands[at]].shape;
    }
    // The operand, which has to be an array.
    const Shape& array(std::size_t at) const;
    // A called computation, which has to exist.
    const Computation& called(std::size_t at) const;

    // Throws Error.
    [[noreturn]] static void fail(const std::string& message) { throw Error(message); }
    static void check(bool holds, const std::string& message) {
        if (!holds) fail(message);
    }
};

// The value of an attribute that has to be there.
template <typename T>
const T& present(const Box<T>& box, std::string_view name) {
    if (!box) Site::fail(fmt::format("has no {}", name));
    return *box;
}

// Checks that `dimension` is one of an array of this rank.
std::size_t checked_dimension(std::int64_t dimension, std::size_t rank, std::string_view what);
// Checks a list of different dimensions; `sorted`: which has to rise.
void check_dimensions(const Integers& dimensions, std::size_t rank, std::string_view what,
                      bool sorted = false);
bool contains(const Integers& values, std::int64_t value);

// Checks the parameters and the result of a computation.
void check_computation(const Computation& computation, const std::vector<Shape>& parameters,
                       const Shape& result, std::string_view what);
std::vector<Shape> parameter_shapes(const Computation& computation);

// The size of a dimension after a window moved over it. Throws Error for a window that is not well formed.
std::int64_t windowed_size(std::int64_t size, const WindowDimension& window);

// Rules by kind of instruction; each returns the shape of the result.
using Rule = Shape (*)(const Site&);
Rule elementwise_rule(Opcode opcode);
Rule movement_rule(Opcode opcode);
Rule contraction_rule(Opcode opcode);
Rule reduction_rule(Opcode opcode);
Rule control_rule(Opcode opcode);
Rule collective_rule(Opcode opcode);

}  // namespace trnsim::hlo
