// Values of elements for --check.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "tools/nccom/test.hpp"

namespace trnsim::nccom {

// Fills whole elements of the test's type: ones, or random eighths.
void fill(std::vector<std::uint8_t>& bytes, const Test& test, std::mt19937_64& random);

// Elements of `size` bytes that differ.
std::uint64_t differences(const std::vector<std::uint8_t>& found, const std::vector<std::uint8_t>& expected,
                          std::size_t size);

}  // namespace trnsim::nccom
