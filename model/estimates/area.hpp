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
    double copies = 0, at = 0;        // number of copies; value of the block's variable
    double gates = 0, sram_bits = 0;  // sum over the copies
};

struct Area {
    std::vector<BlockArea> blocks;
    double gates = 0, sram_bits = 0;  // sum over the blocks
    double logic_mm2 = 0, sram_mm2 = 0;
    double mm2() const { return logic_mm2 + sram_mm2; }
};

// The blocks measured with Yosys, which area.yaml must have: their names, and the variables they can grow
// with.
std::vector<std::string_view> block_names();
bool is_variable(std::string_view name);
std::string variable_names();  // names for messages

// Evaluates the straight line through the points of a block (through 0 if there is one point) at another
// value of its variable.
Counts predict(const BlockTable& block, double at);

Area estimate_area(const config::Config& config, const AreaTable& table);

// Returns several lines, marked as an estimate.
std::string show(const Area& area, const config::Config& config, const AreaTable& table);

}  // namespace trnsim::estimates
