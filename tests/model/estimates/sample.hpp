// Tables and a configuration with round numbers.
#pragma once

#include "model/estimates/energy.hpp"

namespace trnsim::test {

inline config::Config estimate_config() {
    config::Config config;
    config.core.array = {8, 4};
    config.core.partitions = 16;
    config.core.sbuf_partition = 64 * 1024;
    config.core.psum_partition = 16 * 1024;
    config.core.bus = {2, 512};
    config.core.fetch = {32, 8};
    return config;
}

inline estimates::Tables estimate_tables() {
    using estimates::BlockTable;
    estimates::Tables tables;
    estimates::EnergyTable& energy = tables.energy;
    energy.process = "1 nm";
    energy.mac_fp8 = 1;
    energy.mac_bf16 = 2;
    energy.mac_fp16 = 3;
    energy.mac_tf32 = 4;
    energy.mac_fp32 = 20;
    energy.addition = 10;
    energy.multiplication = 100;
    energy.sram = {{8 * 1024, 8}, {16 * 1024, 16}, {1 << 20, 80}};
    energy.hbm = 4;
    energy.wire = 0.5;
    energy.wire_length = 10;
    energy.static_power = 2;
    estimates::AreaTable& area = tables.area;
    area.process = "1 nm";
    area.logic_density = 4;  // million gates per mm2
    area.sram_density = 10;
    area.flip_flop_gates = 5;
    const auto block = [](const char* variable, estimates::Counts low, estimates::Counts high) {
        return BlockTable{"module", variable, {low, high}, {}};
    };
    area.blocks = {{"pe_row", block("columns", {2, 100, 0, 0, 0}, {4, 180, 0, 0, 0})},
                   {"psum_port", block("partitions", {4, 10, 0, 0, 0}, {8, 20, 0, 0, 0})},
                   {"axi_port", block("data_bits", {256, 300, 0, 0, 0}, {512, 400, 0, 0, 0})},
                   {"control", block("prefetch", {8, 1000, 0, 0, 80}, {16, 1000, 0, 0, 160})},
                   {"tensor", block("partitions", {4, 100, 0, 0, 7}, {8, 150, 0, 0, 7})},
                   {"vector", block("partitions", {4, 1000, 0, 0, 0}, {8, 2000, 0, 0, 0})},
                   {"scalar", block("partitions", {4, 500, 0, 0, 0}, {8, 700, 0, 0, 0})}};
    return tables;
}

}  // namespace trnsim::test
