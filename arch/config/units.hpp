// Exact conversion between text with units and whole numbers of the base unit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trnsim::config {

// Base units: count 1, size B, frequency Hz, rate B/s, time fs.
enum class Quantity { Count, Size, Frequency, Rate, Time };

// Multiples of the base units.
inline constexpr std::uint64_t KiB = 1ULL << 10, MiB = 1ULL << 20, GiB = 1ULL << 30, GB = 1'000'000'000;
inline constexpr std::uint64_t MHz = 1'000'000, GHz = 1'000'000'000;
inline constexpr std::uint64_t Ps = 1'000, Ns = 1'000 * Ps, Us = 1'000 * Ns, Sec = 1'000'000 * Us;

// "24 MiB", "2.8 GHz", "1300 ns", "820 GB/s", "8". Nothing when the text is not a number with a unit of this
// quantity, or when it is no whole number of the base unit, or too large.
std::optional<std::uint64_t> parse_quantity(std::string_view text, Quantity quantity);

// Reads a seed: a count below 2^32.
std::optional<std::uint32_t> parse_seed(std::string_view text);

// Writes the value in the largest unit that needs at most three decimals; parse_quantity() gives it back.
std::string format_quantity(std::uint64_t value, Quantity quantity);

// Returns the form of a value of this quantity for messages: "a size such as '24 MiB'".
std::string_view describe(Quantity quantity);

}  // namespace trnsim::config
