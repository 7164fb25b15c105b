// The cutting of a matmul so that it fits a target.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/kernels/operand.hpp"
#include "compiler/kernels/tile_groups.hpp"

namespace trnsim::kernels {

struct MatmulShape {
    std::uint64_t m = 1, k = 1, n = 1;
    isa::Dtype dtype = isa::Dtype::Fp32;
};

// Panels of `stationary_width` columns of stationary [K, M], panels of `moving_width` columns of moving [K,
// N], groups of `group_tiles` output tiles of [m_tile, n_tile].
struct Blocking {
    KCut cut;
    std::uint32_t m_tile = 1, n_tile = 1;
    std::uint32_t group_tiles = 1;
    std::uint32_t stationary_width = 1, moving_width = 1;
    std::uint64_t stationary_slots = 2, moving_slots = 2, output_slots = 2;
};

// Returns a blocking that fits `sbuf` bytes a partition. In order of preference: both operands stay in SBUF;
// the stationary panel stays while moving chunks stream; both stream. Throws builder::Error when even the
// smallest does not fit.
Blocking plan_blocking(const MatmulShape& shape, const target::Core& target, std::uint64_t sbuf);

// Returns the columns of a panel: at least `group` columns, more if DMA rows would be short, at most the
// columns of whole groups.
std::uint32_t panel_width(std::uint64_t group, std::uint64_t total, std::uint64_t element_bytes);

// Returns a part of `tile` columns from `first`, shorter at the end of `total`.
TileGroup::Part part_of(std::uint64_t first, std::uint64_t tile, std::uint64_t total);

// Appends the groups that multiply one part of the moving operand with `columns` columns of a stationary
// panel.
void append_groups(std::vector<TileGroup>& groups, const Blocking& blocking, std::uint64_t stationary_panel,
                   std::uint64_t columns, std::uint64_t moving_panel, const TileGroup::Part& moving);

// Returns the groups of a matmul in order: panel by panel, the stationary one outermost.
std::vector<TileGroup> plan_groups(const MatmulShape& shape, const Blocking& blocking);

// A chunk of one of the two operands.
struct ChunkName {
    bool stationary;
    std::uint64_t chunk, panel;
};

// Returns the chunks to load into SBUF before the first matmul, in the order in which the matmuls need them.
// The loads are slower than the Tensor engine at first; with these chunks they never stall it while they fill
// free slots.
std::vector<ChunkName> plan_prefetch(const MatmulShape& shape, const Blocking& blocking,
                                     const target::Core& target, const OperandRing& stationary,
                                     const OperandRing& moving);

}  // namespace trnsim::kernels
