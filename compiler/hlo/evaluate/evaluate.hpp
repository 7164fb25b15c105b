// The evaluator: what a module computes, instruction by instruction.
//
// Arithmetic is in double and in 64-bit integers; the result of each instruction is rounded to its type. Sums (dot,
// convolution, reductions by add) are rounded once, at their end. All orders are fixed, so that results do not depend on
// the machine, apart from the last bit of what its mathematical library computes in double. It shares no code with
// emission, and so serves as its reference and folds constants.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/hlo/error.hpp"
#include "compiler/hlo/evaluate/value.hpp"
#include "compiler/hlo/module.hpp"

namespace trnsim::hlo::evaluate {

struct Options {
    // Devices run the module together; device = replica * partitions + partition.
    std::int64_t replicas = 1, partitions = 1;
    std::uint64_t memory = std::uint64_t{8} << 30;  // bytes that all values may take
    std::uint64_t work = std::uint64_t{1} << 50;    // operations on elements, so that no loop runs for ever
};

// The arguments of one device by number of parameter.
using Arguments = std::vector<Value>;

// Runs the entry computation of a verified module on every device. Returns its result by device. Throws Error, which
// names the instruction: arguments that do not fit, what is not supported, a limit that is exceeded.
std::vector<Value> run(const Module& module, std::span<const Arguments> devices, const Options& options = {});

// The same for one device.
Value run(const Module& module, const Arguments& arguments, const Options& options = {});

// Evaluates one instruction from the values of its operands, on one device: how constants are folded.
Value fold(const Module& module, const Instruction& instruction, std::span<const Value> operands,
           const Options& options = {});

}  // namespace trnsim::hlo::evaluate
