// A configuration with the sizes of configs/trn1.yaml, without its times.
#pragma once

#include "arch/config/config.hpp"

namespace trnsim::test {

inline config::Config trn1_config() {
    config::Config config;
    config.name = "trn1";
    config.core.array = {128, 128};
    config.core.partitions = 128;
    config.core.sbuf_partition = 192 * 1024;
    config.core.psum_partition = 16 * 1024;
    config.core.psum_banks = 8;
    config.core.gpsimd.vlen = 512;
    config.hbm.stacks = 2;
    config.hbm.banked.tck = 625'000;
    config.hbm.capacity = std::uint64_t{16} << 30;
    config.dma.engines = 16;
    config.dma.rings = 16;
    return config;
}

}  // namespace trnsim::test
