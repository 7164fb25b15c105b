// The instructions that a core stops at, and the reasons: what the sequencer checks of every instruction, then
// what the engines check, in the core's order. It is a definition of its own beside
// those of the RTL (rtl/control/instruction_check_pkg.sv and the packages of the engines) and of the fast core
// (model/values/check.hpp); tests/testbench/refusals compares them. Nothing here lists elements: before these
// checks their number has no bound.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "isa/instruction.hpp"
#include "testbench/functional/lane_state.hpp"
#include "testbench/functional/tensor_engine.hpp"

namespace trnsim::functional {

struct Refusal {
    isa::Error error = isa::Error::None;  // the core's error_code
    std::uint32_t address = 0;  // the core's error_address: of the operand at fault, 0 if none applies
    std::string_view rule{};    // what the instruction breaks
    explicit operator bool() const { return error != isa::Error::None; }
};

// The state of the engines that decides about some instructions: the loaded stationary operands, the shuffle
// mask, the set of activation tables.
struct EngineStates {
    const TensorEngine& tensor;
    const LaneState& vector;
    const LaneState& scalar;
};

// `instruction` has the registers added to its addresses. Instructions of a package are checked: the addresses
// that the loader fills in (of transfers and activation tables) are not looked at, nor are branch targets,
// which the package's own check bounds.
Refusal refusal_of(isa::Engine engine, const isa::Instruction& instruction, const target::Core& target,
                   const EngineStates& states);

// Return the refusals of the engines alone, of an instruction whose operands have been checked.
Refusal refusal_by_tensor(const isa::Instruction& instruction, const target::Core& target,
                          const TensorEngine& engine);
Refusal refusal_by_vector(const isa::Instruction& instruction, const LaneState& state);
Refusal refusal_by_scalar(const isa::Instruction& instruction, const LaneState& state);
Refusal refusal_by_gpsimd(const isa::Instruction& instruction, const target::Core& target);

// Returns e.g. "shape not supported by this instruction: more columns than the array or column group has", in
// the words with which a run on a core ends, and then the rule.
std::string describe(const Refusal& refusal, const target::Core& target);

// Throws Error with that text if the instruction is refused.
void require_accepted(isa::Engine engine, const isa::Instruction& instruction, const target::Core& target,
                      const EngineStates& states);

}  // namespace trnsim::functional
