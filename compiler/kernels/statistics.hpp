// Mean and 1 / sqrt(variance + eps) of each row.
#pragma once

#include "compiler/kernels/rings.hpp"
#include "compiler/kernels/rows.hpp"

namespace trnsim::kernels {

class RowStatistics {
  public:
    RowStatistics(Kit& kit, const RowCut& cut, float eps);

    static std::uint64_t bytes(std::uint64_t width, std::uint64_t chunks);

    static constexpr std::uint32_t FigureCount = 3;  // mean, variance, scale: the first columns of a slot
    struct Figures {
        builder::Tile tile;

        builder::Tile mean() const { return tile.slice(0, 0, 1); }
        builder::Tile scale() const { return tile.slice(0, 2, 1); }
    };
    // Reads the block's chunks from `inputs`. Two results can be in use at a time.
    Figures find(const builder::TensorView& x, std::uint64_t block, InputRing& inputs);

  private:
    Kit* kit_;
    RowCut cut_;
    float eps_;
    TileRing ring_;
};

}  // namespace trnsim::kernels
