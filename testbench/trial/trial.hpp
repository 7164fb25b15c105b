// A built-in kernel with random inputs, or random programs, for the simulated machine and for the
// interpreter, and what differs between the two.
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

using Contents = std::map<std::string, std::vector<std::uint8_t>>;  // of tensors, in storage bytes

struct Trial {
    config::Config config;
    neff::Package package;
    Contents inputs;
};

// Random inputs depend on the seed, the kernel and its arguments, not on the configuration. Throws
// kernels::ArgumentError or builder::Error when the kernel cannot be built.
Trial make_trial(const config::Config& config, const std::string& kernel,
                 const std::map<std::string, std::string>& arguments, std::uint64_t seed);

// The same for any kernel.
Trial make_trial(const config::Config& config, neff::Package package, std::uint64_t seed);

// Random programs of a kind. Throws kernels::ArgumentError.
Trial make_random_trial(const config::Config& config, const std::string& kind,
                        const std::map<std::string, std::string>& arguments, std::uint64_t seed,
                        const random_programs::Aim& aim = {});

// Throws runtime::Error.
runtime::Prepared prepare(const Trial& trial);

// What the interpreter gives for the outputs. Throws functional::Error.
Contents interpret(const Trial& trial, const functional::Options& options = {});

// The same under several orders (functional::in_order) of what the hardware leaves open. Throws
// functional::Error also when two of them give other bits.
Contents interpret_in_orders(const Trial& trial, const functional::RoundingControl& rounding,
                             std::span<const std::uint64_t> orders);

// What is wrong with the kernel itself, a line each, and empty when nothing is: every race, with what meets
// whom, else what ends the interpreter first: a deadlock, a byte read that nothing has written, outputs that
// depend on the order. `outputs` are those of a kernel without mistakes.
std::vector<std::string> find_mistakes(const Trial& trial, const functional::RoundingControl& rounding,
                                       std::span<const std::uint64_t> orders, Contents& outputs);

// "[1, 3]": where an element is in its tensor.
std::string position(const neff::Tensor& tensor, std::size_t index);

// An output tensor that is not as expected.
struct Difference {
    std::size_t tensor = 0;               // index in the package
    std::vector<std::size_t> elements;    // those that differ, ascending; of C order
    std::uint64_t expected = 0, got = 0;  // storage bits of the first
};

// By tensor. A missing output differs everywhere.
std::vector<Difference> differences(const neff::Package& package, const Contents& expected,
                                    const runtime::Arrays& outputs);

// "0x3f80 (1)": storage bits of an element, and its value.
std::string describe(isa::Dtype dtype, std::uint64_t bits);

// "output c: 3 of 4096 elements differ from the interpreter's, first [0, 17]: 0x3f800000 (1), expected
// 0x3f800001 (1.00000012)"
std::string describe(const neff::Package& package, const Difference& difference);

}  // namespace trnsim::trial
