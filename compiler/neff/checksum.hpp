// SHA-256.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace trnsim::neff {

using Sha256 = std::array<std::uint8_t, 32>;

Sha256 sha256(std::span<const std::uint8_t> bytes);

// Returns two digits a byte.
std::string hex(const Sha256& sum);

}  // namespace trnsim::neff
