// Shapes of DeepBench: its headers of problems, or tables of them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tools/importers/matmuls.hpp"

namespace trnsim::importers {

// Reads a header with lists of std::make_tuple(m, n, k, a_t, b_t), or with eleven numbers for convolutions
// (w, h, c, n, k, filter w and h, padding w and h, stride w and h), which become the matrix product over all
// windows; or comma-separated values with a heading that has m, n, k, a_t and b_t. a_t and b_t say whether an
// operand is transposed. `set` takes one list of a header, such as "training_set"; empty: all. Throws Error,
// also for tuples of another length.
std::vector<Matmul> read_deepbench(const std::filesystem::path& file, const std::string& set = "");

}  // namespace trnsim::importers
