// A built-in kernel with random inputs, or random programs, for the simulated machine and for the
// interpreter, and the differences between the two.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "arch/config/config.hpp"
#include "runtime/session/runner.hpp"
#include "testbench/functional/interpreter.hpp"
#include "testbench/random_programs/aim.hpp"

namespace trnsim::trial {

using Contents = std::map<std::string, std::vector<std::uint8_t>>;  // contents of tensors, in storage bytes

struct Trial {
    config::Config config;
    neff::Package package;
    Contents inputs;
};

// Random inputs depend on the seed, the kernel and its arguments, not on the configuration. Throws
// kernels::ArgumentError or builder::Error when the kernel cannot be built.
Trial make_trial(const config::Config& config, const std::string& kernel,
                 const std::map<std::string, std::string>& arguments, std::uint64_t seed);

// Does the same for any kernel.
Trial make_trial(const config::Config& config, neff::Package package, std::uint64_t seed);

// Makes random programs of a kind. Throws kernels::ArgumentError.
Trial make_random_trial(const config::Config& config, const std::string& kind,
                        const std::map<std::string, std::string>& arguments, std::uint64_t seed,
                        const random_programs::Aim& aim = {});

// Throws runtime::Error.
runtime::Prepared prepare(const Trial& trial);

// Returns the interpreter's outputs. Throws functional::Error.
Contents interpret(const Trial& trial, const functional::Options& options = {});

// Does the same with several orders (functional::in_order) of what the hardware leaves open. Throws
// functional::Error also when two of them give different bits.
Contents interpret_in_orders(const Trial& trial, const functional::RoundingControl& rounding,
                             std::span<const std::uint64_t> orders, const functional::Limits& limits = {});

// Returns the mistakes of the kernel itself, a line each, and nothing if there are none: every race with both
// its sides; else the error that ends the interpreter first: a deadlock, a read of an unwritten byte, an
// instruction that a core refuses, no end within the limits, outputs that are not written or depend on the
// order. `outputs` are those of a kernel without mistakes.
std::vector<std::string> find_mistakes(const Trial& trial, const functional::RoundingControl& rounding,
                                       std::span<const std::uint64_t> orders, Contents& outputs,
                                       const functional::Limits& limits = {});

// An output tensor that differs from the expected one.
struct Difference {
    std::size_t tensor = 0;               // index in the package
    std::vector<std::size_t> elements;    // indices in C order of the elements that differ, ascending
    std::uint64_t expected = 0, got = 0;  // storage bits of the first one
};

// Compares all outputs. A missing output differs everywhere.
std::vector<Difference> differences(const neff::Package& package, const Contents& expected,
                                    const runtime::Arrays& outputs);

// Returns the storage bits of an element and its value, e.g. "0x3f80 (1)".
std::string describe(isa::Dtype dtype, std::uint64_t bits);

// Returns e.g. "; written by transfer 5 'store y' at kernel.cpp:44" for the last transfer that may write an
// element of a tensor; empty: there is none.
std::string writer_text(const neff::Package& package, std::size_t tensor, std::size_t element);

// Returns e.g. "output c: 3 of 4096 elements differ from the interpreter's, first [0, 17]: 0x3f800000 (1),
// expected 0x3f800001 (1.00000012)".
std::string describe(const neff::Package& package, const Difference& difference);

}  // namespace trnsim::trial
