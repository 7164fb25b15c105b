// The classifier of the demo: one hidden layer of fixed random units, an output layer fitted to the
// training samples.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tools/demo/digits.hpp"

namespace trnsim::demo {

// Parameters in the form of the mlp kernel: bf16 storage bits, biases in fp32, row-major.
struct Network {
    std::size_t hidden = 0;
    std::vector<std::uint32_t> w1;  // [Pixels, hidden]
    std::vector<float> b1;          // [hidden]
    std::vector<std::uint32_t> w2;  // [hidden, Classes]
    std::vector<float> b2;          // [Classes]
};

// Returns samples as columns, bf16 storage bits: x [Pixels, samples], pixel values scaled to 0 .. 1.
std::vector<std::uint32_t> samples_of(const Digits& digits, std::size_t first, std::size_t count);

// Takes hidden units from a fixed seed and fits the output layer by ridge regression on the first `training`
// samples: the network is the same every time. `rows` is the K tile of the array, which the host arithmetic
// follows.
Network fit_network(const Digits& digits, std::size_t training, std::size_t hidden, std::size_t rows);

// Returns the kernel's expected result for `count` columns of samples: y [Classes, count], with every
// rounding of the hardware.
std::vector<float> reference_outputs(const Network& network, const std::vector<std::uint32_t>& samples,
                                     std::size_t count, std::size_t rows);

// Returns the class with the largest output for each column of y [Classes, count].
std::vector<std::uint8_t> labels_of(std::span<const float> y, std::size_t count);

}  // namespace trnsim::demo
