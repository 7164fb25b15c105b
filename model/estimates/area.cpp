#include "model/estimates/area.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "base/numbers/numbers.hpp"

namespace trnsim::estimates {
namespace {

using config::Config;

constexpr double Million = 1e6;
constexpr double TransistorsPerGate = 4;  // of a two-input NAND, the gate equivalent
constexpr double OperandBits = 26;        // of a decoded operand that moves through the array
constexpr double SumBits = 32;

struct Variable {
    std::string_view name;
    double (*of)(const Config&);
};
constexpr std::array Variables{
    Variable{"columns", [](const Config& c) { return as_double(c.core.array.columns); }},
    Variable{"partitions", [](const Config& c) { return as_double(c.core.partitions); }},
    Variable{"data_bits", [](const Config& c) { return as_double(c.core.bus.data_bits); }},
    Variable{"prefetch", [](const Config& c) { return as_double(c.core.fetch.prefetch); }},
};

struct Copies {
    std::string_view block;
    double (*of)(const Config&);
};
constexpr std::array Blocks{
    Copies{"pe_row", [](const Config& c) { return as_double(c.core.array.rows); }},
    Copies{"psum_port", [](const Config&) { return 2.0; }},  // one for each row group
    Copies{"axi_port",
           [](const Config& c) { return as_double(c.core.bus.ports) + 1; }},  // and the sequencers'
    Copies{"control", [](const Config&) { return 1.0; }},
    Copies{"tensor", [](const Config&) { return 1.0; }},
    Copies{"vector", [](const Config&) { return 1.0; }},
    Copies{"scalar", [](const Config&) { return 1.0; }},
};

double value_of(std::string_view variable, const Config& config) {
    return std::ranges::find(Variables, variable, &Variable::name)->of(config);
}

// Returns the registers that delay moving operands until their row works, and results until the last column's
// have come: triangles of (n - 1) n / 2 registers.
BlockArea skew(const Config& config, const AreaTable& table) {
    const auto triangle = [](double n) { return (n - 1) * n / 2; };
    const double rows = as_double(config.core.array.rows), columns = as_double(config.core.array.columns);
    const double bits = triangle(rows) * OperandBits + triangle(columns) * SumBits;
    return {"skew", 1, rows, bits * table.flip_flop_gates, 0};
}

BlockArea memory(const char* name, const Config& config, std::uint64_t bytes) {
    const double partitions = as_double(config.core.partitions);
    return {name, 1, partitions, 0, partitions * as_double(bytes) * BitsPerByte};
}

}  // namespace

std::vector<std::string_view> block_names() {
    std::vector<std::string_view> names;
    names.reserve(std::size(Blocks));
    for (const Copies& block : Blocks) names.push_back(block.block);
    return names;
}

bool is_variable(std::string_view name) {
    return std::ranges::find(Variables, name, &Variable::name) != Variables.end();
}

std::string variable_names() {
    std::string names;
    for (const Variable& variable : Variables)
        names += (names.empty() ? "" : ", ") + std::string(variable.name);
    return names;
}

Counts predict(const BlockTable& block, double at) {
    const Counts low = block.points.size() > 1 ? block.points.front() : Counts{};
    const Counts& high = block.points.back();
    const double share = (at - low.at) / (high.at - low.at);
    const auto line = [&](double Counts::*member) {
        return std::max(0.0, low.*member + share * (high.*member - low.*member));
    };
    return {at, line(&Counts::gates), line(&Counts::flip_flop_bits), line(&Counts::cells),
            line(&Counts::memory_bits)};
}

Area estimate_area(const Config& config, const AreaTable& table) {
    Area area;
    for (const Copies& block : Blocks) {
        const BlockTable& measured = table.blocks.at(std::string(block.block));
        const double copies = block.of(config), at = value_of(measured.variable, config);
        const Counts one = predict(measured, at);
        area.blocks.push_back(
            {std::string(block.block), copies, at, copies * one.gates, copies * one.memory_bits});
    }
    area.blocks.push_back(skew(config, table));
    area.blocks.push_back(memory("sbuf", config, config.core.sbuf_partition));
    area.blocks.push_back(memory("psum", config, config.core.psum_partition));
    for (const BlockArea& block : area.blocks) {
        area.gates += block.gates;
        area.sram_bits += block.sram_bits;
    }
    area.logic_mm2 = area.gates * TransistorsPerGate / (table.logic_density * Million);
    area.sram_mm2 = area.sram_bits / (table.sram_density * Million);
    return area;
}

std::string show(const Area& area, const Config& config, const AreaTable& table) {
    std::string text =
        fmt::format("{}: estimated area in {} (estimate, docs/estimates.md)\n", config.name, table.process);
    text += fmt::format("  {:<10} {:>6} {:>14} {:>14}\n", "block", "copies", "gates", "SRAM bits");
    for (const BlockArea& block : area.blocks) {
        text += fmt::format("  {:<10} {:>6.0f} {:>14.0f} {:>14.0f}\n", block.name, block.copies, block.gates,
                            block.sram_bits);
    }
    text += fmt::format("  {:<10} {:>6} {:>14.0f} {:>14.0f}\n", "all", "", area.gates, area.sram_bits);
    text +=
        fmt::format("  {:.2f} mm2: logic {:.2f}, SRAM {:.2f}\n", area.mm2(), area.logic_mm2, area.sram_mm2);
    return text;
}

}  // namespace trnsim::estimates
