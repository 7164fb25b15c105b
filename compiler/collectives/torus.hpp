// Rings on a torus of chips.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace trnsim::collectives {

// Returns two Hamiltonian cycles of a torus of rows x columns chips. They have no link in common, and
// together they have all links. Chip r * columns + c lies in row r, column c. Throws Error below 3 x 3, where
// neighbours have several links, and beyond 64 x 64.
std::array<std::vector<std::uint32_t>, 2> torus_cycles(std::uint32_t rows, std::uint32_t columns);

}  // namespace trnsim::collectives
