// The values of an executed instruction that a coverage plan can use: a field of the instruction by its name,
// or a value that follows from several fields.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/neff/package.hpp"
#include "isa/instruction.hpp"

namespace trnsim::coverage {

// The argument words in the mailboxes of GpSimd's cores.
using GpsimdArguments = std::array<std::uint32_t, 192>;

// An instruction as it is executed.
struct Executed {
    const isa::Instruction& instruction;  // with the registers added to its addresses
    isa::Engine engine;
    const target::Core& target;
    bool stochastic;  // the core's rounding control
    const GpsimdArguments& arguments;
};

struct Measure {
    std::string name;
    std::vector<isa::EnumValue> values;  // names of the values; empty for numbers
    // Returns nothing when the instruction does not have the value.
    std::function<std::optional<std::int64_t>(const Executed&)> of;
};

const std::vector<Measure>& measures();

// Adds the measures of commands of GpSimd's microcode.
void add_gpsimd_measures(std::vector<Measure>& all);

// Returns nullptr if no measure has the name.
const Measure* find_measure(const std::string& name);

}  // namespace trnsim::coverage
