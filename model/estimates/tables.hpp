// The tables behind the estimates: configs/estimates/energy.yaml and area.yaml. docs/estimates.md says how
// they are used.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace trnsim::estimates {

inline constexpr double BitsPerByte = 8;

struct SramPoint {
    double capacity = 0;  // bytes of the array
    double energy = 0;    // pJ for each access of 64 bits
};

struct EnergyTable {
    std::string process;
    double mac_fp8 = 0, mac_bf16 = 0, mac_fp16 = 0, mac_tf32 = 0, mac_fp32 = 0;  // pJ
    double addition = 0, multiplication = 0;                                     // pJ, fp32
    std::vector<SramPoint> sram;                                                 // ascending
    double hbm = 0;                                                              // pJ for each bit
    double wire = 0;                                                             // pJ for each bit and mm
    double wire_length = 0;   // mm a transferred byte travels on the die
    double static_power = 0;  // W for each mm2
};

// The counts of one block at one value of its variable.
struct Counts {
    double at = 0, gates = 0, flip_flop_bits = 0, cells = 0, memory_bits = 0;
};

struct BlockTable {
    std::string module;           // name in the RTL
    std::string variable;         // the variable that it grows with
    std::vector<Counts> points;   // two ascending points: a line; one point: proportional
    std::optional<Counts> check;  // not used for the line
};

struct AreaTable {
    std::string process, yosys;
    double logic_density = 0;    // million transistors for each mm2
    double sram_density = 0;     // million bits for each mm2
    double flip_flop_gates = 0;  // gate equivalents of a bit
    std::map<std::string, BlockTable> blocks;
};

struct Tables {
    EnergyTable energy;
    AreaTable area;
};

// All throw config::Error with `file:line:column: ...`.
EnergyTable read_energy_table(const std::filesystem::path& path);
AreaTable read_area_table(const std::filesystem::path& path);
// Loads the tables shipped with the configurations; those of TRNSIM_CONFIG_PATH come first.
Tables load_tables();

}  // namespace trnsim::estimates
