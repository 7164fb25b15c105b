// The Tensor engine's part of tiled matmuls.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "compiler/kernels/operand.hpp"
#include "compiler/kernels/rings.hpp"

namespace trnsim::kernels {

// Some output tiles [columns of the stationary operand, columns of the moving operand], one PSUM bank each,
// that are accumulated side by side over all of K, so that each moving chunk is used by every tile before
// the next is needed.
struct TileGroup {
    std::uint64_t stationary_panel = 0, moving_panel = 0;
    struct Part {
        std::uint32_t first, count;  // columns within the panel
    };
    std::vector<Part> stationary;  // of each tile; at most the array's columns
    Part moving{};                 // of all tiles; at most a bank
};

class TileGroupRunner {
  public:
    explicit TileGroupRunner(builder::KernelBuilder& builder)
        : builder_(&builder), banks_(builder, 0, static_cast<std::uint32_t>(builder.target().psum_banks)) {}

    // Takes tile `index` of the group, finished in `psum`, away.
    using Evacuate = std::function<void(std::size_t index, const builder::Tile& psum)>;

    // K tiles accumulate in ascending order. The first matmul of the group also comes after `start`.
    void run(const TileGroup& group, const KCut& cut, Operand& stationary, Operand& moving,
             const Evacuate& evacuate, const builder::After& start = {});

  private:
    builder::KernelBuilder* builder_;
    BankRing banks_;
};

}  // namespace trnsim::kernels
