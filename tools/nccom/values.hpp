// Values of elements for --check.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "compiler/collectives/schedule.hpp"
#include "tools/nccom/test.hpp"

namespace trnsim::nccom {

// The buffers of a request, as indices, and what their addresses are multiples of.
inline constexpr auto In = static_cast<std::size_t>(collectives::Buffer::Input),
                      Out = static_cast<std::size_t>(collectives::Buffer::Output);
inline constexpr std::uint64_t Alignment = 4096;

// Fills whole elements of the test's type: ones, or random eighths.
void fill(std::vector<std::uint8_t>& bytes, const Test& test, std::mt19937_64& random);

// Counts the elements of `size` bytes that differ.
std::uint64_t differences(const std::vector<std::uint8_t>& found, const std::vector<std::uint8_t>& expected,
                          std::size_t size);

}  // namespace trnsim::nccom
