// The Tensor engine's part of tiled matmuls.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "compiler/kernels/operand.hpp"
#include "compiler/kernels/rings.hpp"

namespace trnsim::kernels {

// Some output tiles [columns of the stationary operand, columns of the moving operand], one PSUM bank each.
// They are accumulated side by side over all of K, so that every tile uses a moving chunk before the next
// chunk is needed.
struct TileGroup {
    std::uint64_t stationary_panel = 0, moving_panel = 0;
    struct Part {
        std::uint32_t first, count;  // columns within the panel
    };
    std::vector<Part> stationary;  // part of each tile; at most the array's columns
    Part moving{};                 // part of all tiles; at most a bank
};

class TileGroupRunner {
  public:
    explicit TileGroupRunner(builder::KernelBuilder& builder)
        : builder_(&builder), banks_(builder, 0, static_cast<std::uint32_t>(builder.target().psum_banks)) {}

    // Moves tile `index` of the group, which is complete, out of `psum`.
    using Evacuate = std::function<void(std::size_t index, const builder::Tile& psum)>;

    // Runs the matmuls of a group. K tiles accumulate in ascending order. The first matmul also comes after
    // `start`.
    void run(const TileGroup& group, const KCut& cut, ChunkSource& stationary, ChunkSource& moving,
             const Evacuate& evacuate, const builder::After& start = {});

  private:
    builder::KernelBuilder* builder_;
    BankRing banks_;
};

}  // namespace trnsim::kernels
