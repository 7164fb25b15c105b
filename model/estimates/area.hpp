// Estimated size of a core: gate equivalents of its logic, bits of its SRAM, and mm2 of both.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "arch/config/config.hpp"
#include "model/estimates/tables.hpp"

namespace trnsim::estimates {

struct BlockArea {
    std::string name;
    double copies = 0, at = 0;        // so many, of the block at this value of its variable
    double gates = 0, sram_bits = 0;  // of all copies
};

struct Area {
    std::vector<BlockArea> blocks;
    double gates = 0, sram_bits = 0;  // of all blocks
    double logic_mm2 = 0, sram_mm2 = 0;
    double mm2() const { return logic_mm2 + sram_mm2; }
};

// Blocks measured with Yosys, which area.yaml must have: names, and what they can grow with.
std::vector<std::string_view> block_names();
bool is_variable(std::string_view name);
std::string variable_names();  // for messages

// The straight line through the points of a block (through a single one and nothing at 0), at another value
// of its variable.
Counts predict(const BlockTable& block, double at);

Area estimate_area(const config::Config& config, const AreaTable& table);

// Several lines; marked as an estimate.
std::string show(const Area& area, const config::Config& config, const AreaTable& table);

}  // namespace trnsim::estimates
