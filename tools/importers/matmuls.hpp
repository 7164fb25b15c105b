// Matrix products from a list of another tool, and the sweep that runs them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace trnsim::importers {

// c [m, n] = a @ b, contracted over k.
struct Matmul {
    std::string label{};
    std::uint64_t m = 1, n = 1, k = 1;
    std::optional<bool> ta{},
        tb{};                 // whether operands are transposed in memory; none: as the kernel likes it
    std::uint64_t times = 1;  // products of this kind in the layer
    std::string place{};      // "file:3"
};

struct SweepOptions {
    std::string base = "trn1", dtype = "bf16", fidelity = "fast";
};

// Throws Error at the place of a product that the kernel matmul does not take.
void check_shapes(const std::vector<Matmul>& matmuls);

// Returns the text of a sweep file (docs/sweeps.md) with a case of each shape, in the order of the list.
// Equal shapes are one case with the labels of all, and a count where there are several products. `source` is
// the list's file, `format` its kind.
std::string sweep_of(const std::vector<Matmul>& matmuls, const std::filesystem::path& source,
                     const std::string& format, const SweepOptions& options);

}  // namespace trnsim::importers
