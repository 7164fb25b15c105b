// Sums over rows: the partition axis, contracted on the Tensor engine.
#pragma once

#include <cstdint>
#include <vector>

#include "lib/kernels/kit.hpp"

namespace trnsim::kernels {

// Sums weight * row over any number of tiles of rows in a share of PSUM, fp32.
class ColumnSums {
  public:
    // Share `index` of `shares` equal ones of all banks.
    ColumnSums(Kit& kit, std::uint32_t index, std::uint32_t shares);

    // Most columns of a share, and most rows of a tile.
    static std::uint32_t max_columns(const neff::Target& target, std::uint32_t shares);
    static std::uint32_t max_rows(const neff::Target& target);

    // Adds the rows of a tile; `weights` [rows, 1] is of a type that goes with it. Sums begin anew with the
    // first tile after the beginning or take(). Returns the last read of both.
    builder::Event add(const builder::Tile& rows, const builder::Tile& weights, const builder::After& after);
    // Vector moves the sums to `to` [1, columns].
    builder::Event take(const builder::Tile& to, const builder::After& after);

  private:
    Kit* kit_;
    std::vector<builder::Tile> pieces_;  // [1, columns] each, within a bank
    bool begun_ = false;
    builder::Event added_, taken_;
};

// A [partitions, 1] tile of ones.
struct Ones {
    Ones(Kit& kit, std::uint32_t partitions, isa::Dtype dtype);
    builder::Tile tile;
    builder::Event there;
};

}  // namespace trnsim::kernels
