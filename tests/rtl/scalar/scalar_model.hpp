// The effect of Scalar instructions, element by element: the golden reference of the engine.
#pragma once

#include <array>
#include <vector>

#include "arch/numerics/xorwow.hpp"
#include "isa/instruction.hpp"
#include "tests/rtl/vector/memories.hpp"

namespace trnsim::test {

struct ScalarModel {
    Memories memories;
    std::array<float, Lanes> accumulators{};
    bool sr_enable = false;
    std::vector<numerics::Xorwow> generators =
        numerics::generators(numerics::Stream::ScalarRounding, Lanes, 0);

    void execute(const isa::Instruction& instruction);
    void seed(std::uint32_t seed) {
        generators = numerics::generators(numerics::Stream::ScalarRounding, Lanes, seed);
    }
};

// Returns the elements per partition, 0 for an instruction without operands.
std::uint64_t elements(const isa::Instruction& instruction);

}  // namespace trnsim::test
