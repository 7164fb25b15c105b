// Sums over rows: the partition axis, contracted on the Tensor engine.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/kernels/kit.hpp"

namespace trnsim::kernels {

// Sums weight * row over any number of tiles of rows, in a share of PSUM, in fp32.
class ColumnSums {
  public:
    // Uses share `index` of `shares` equal ones of all banks.
    ColumnSums(Kit& kit, std::uint32_t index, std::uint32_t shares);

    // Return the most columns of a share, and the most rows of a tile.
    static std::uint32_t max_columns(const target::Core& target, std::uint32_t shares);
    static std::uint32_t max_rows(const target::Core& target);

    // Adds the rows of a tile; `weights` [rows, 1] is of a type that fits it. Sums begin anew with the first
    // tile after the start or take().
    void add(const builder::Tile& rows, const builder::Tile& weights);
    // Vector moves the sums to `to` [1, columns].
    void take(const builder::Tile& to);

  private:
    Kit* kit_;
    std::vector<builder::Tile> pieces_;  // [1, columns] each, within a bank
    bool begun_ = false;
};

// Returns a [partitions, 1] tile of ones.
builder::Tile ones(Kit& kit, std::uint32_t partitions, isa::Dtype dtype);

}  // namespace trnsim::kernels
