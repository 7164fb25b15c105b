// Topologies of SCALE-Sim: matrix products (Layer, M, N, K) or convolutions, as comma-separated values.
#pragma once

#include <filesystem>
#include <vector>

#include "tools/importers/matmuls.hpp"

namespace trnsim::importers {

// Reads a file of either kind, which its heading tells. A convolution is the matrix product that SCALE-Sim
// makes of it: a row for each position of the output, a column for each filter, contracted over a window; one
// by depth ("DP" in its name) is a product for each channel. Throws Error also for sparse layers and files
// without layers.
std::vector<Matmul> read_scale_sim(const std::filesystem::path& file);

}  // namespace trnsim::importers
