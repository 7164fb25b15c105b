// What a coverage plan can ask of an executed instruction: a field of the instruction by its name, or
// something that follows from several.
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

// The words of arguments in the mailboxes of GpSimd's cores.
using GpsimdArguments = std::array<std::uint32_t, 192>;

// An instruction as it is executed.
struct Executed {
    const isa::Instruction& instruction;  // the registers added to its addresses
    isa::Engine engine;
    const target::Core& target;
    bool stochastic;  // what the core's rounding control says
    const GpsimdArguments& arguments;
};

struct Measure {
    std::string name;
    std::vector<isa::EnumValue> values;  // names of the values; empty: numbers
    // Nothing when the instruction does not have it.
    std::function<std::optional<std::int64_t>(const Executed&)> of;
};

const std::vector<Measure>& measures();

// Those of commands of GpSimd's microcode.
void add_gpsimd_measures(std::vector<Measure>& all);

// nullptr when there is none of the name.
const Measure* find_measure(const std::string& name);

}  // namespace trnsim::coverage
