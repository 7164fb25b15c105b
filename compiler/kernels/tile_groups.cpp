#include "compiler/kernels/tile_groups.hpp"

namespace trnsim::kernels {

using builder::After;
using builder::Tile;

namespace {

// Returns K tile `k` of a chunk: `rows` partitions, some columns.
Tile part_of(const Chunk& chunk, std::uint32_t k, std::uint32_t rows, const TileGroup::Part& part) {
    return chunk.tile.at(0, k).partition_slice(0, rows).slice(0, part.first, part.count);
}

}  // namespace

void TileGroupRunner::run(const TileGroup& group, const KCut& cut, ChunkSource& stationary,
                          ChunkSource& moving, const Evacuate& evacuate, const After& start) {
    std::vector<Tile> accumulators;
    for (const TileGroup::Part& part : group.stationary)
        accumulators.push_back(banks_.next(part.count, group.moving.count));
    After after = start;
    for (std::uint64_t c = 0; c < cut.chunks(); ++c) {
        const Chunk weights = stationary.get(c, group.stationary_panel);
        const Chunk data = moving.get(c, group.moving_panel);
        for (std::size_t i = 0; i < accumulators.size(); ++i) {
            for (std::uint32_t k = 0; k < cut.tiles_in(c); ++k) {
                const std::uint32_t rows = cut.rows_in(c * cut.chunk + k);
                builder_->load_stationary(part_of(weights, k, rows, group.stationary[i]), {.after = after});
                builder_->multiply_moving(accumulators[i], part_of(data, k, rows, group.moving),
                                          {.accumulate = c > 0 || k > 0});
                after.clear();
            }
        }
    }
    for (std::size_t i = 0; i < accumulators.size(); ++i) evacuate(i, accumulators[i]);
}

}  // namespace trnsim::kernels
