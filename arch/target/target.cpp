#include "arch/target/target.hpp"

namespace trnsim::target {

Chip of(const config::Config& config) {
    Chip chip{Core{}};
    chip.rows = static_cast<int>(config.core.array.rows);
    chip.columns = static_cast<int>(config.core.array.columns);
    chip.partitions = static_cast<int>(config.core.partitions);
    chip.sbuf_partition = config.core.sbuf_partition;
    chip.psum_partition = config.core.psum_partition;
    chip.psum_banks = static_cast<int>(config.core.psum_banks);
    chip.dma_engines = static_cast<int>(config.dma.engines);
    chip.dma_rings = static_cast<int>(config.dma.rings);
    chip.gpsimd_vlen = static_cast<int>(config.core.gpsimd.vlen);
    chip.hbm_stacks = config.hbm.stacks;
    chip.hbm_stack = config.hbm.capacity;
    return chip;
}

}  // namespace trnsim::target
