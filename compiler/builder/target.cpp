#include "compiler/builder/target.hpp"

namespace trnsim::builder {

Target target_of(const config::Config& config) {
    Target target{neff::Target{}};
    target.rows = static_cast<int>(config.core.array.rows);
    target.columns = static_cast<int>(config.core.array.columns);
    target.partitions = static_cast<int>(config.core.partitions);
    target.sbuf_partition = config.core.sbuf_partition;
    target.psum_partition = config.core.psum_partition;
    target.psum_banks = static_cast<int>(config.core.psum_banks);
    target.dma_engines = static_cast<int>(config.dma.engines);
    target.dma_rings = static_cast<int>(config.dma.rings);
    target.gpsimd_vlen = static_cast<int>(config.core.gpsimd.vlen);
    target.hbm_stacks = config.hbm.stacks;
    target.hbm_stack = config.hbm.capacity;
    return target;
}

}  // namespace trnsim::builder
