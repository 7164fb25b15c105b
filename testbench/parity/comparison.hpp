// How two observations of one package differ: the verilated core's, which is right, and another's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/parity/observation.hpp"

namespace trnsim::parity {

struct Timing {
    std::uint64_t instructions = 0, differing = 0;  // compared; of those, completed in another cycle
    // |difference| of the completion cycles over the cycles that the RTL took to it from the start of the first instruction.
    double worst = 0, mean = 0;
    std::string first;  // the first instruction that differs; empty: none does
};

struct Comparison {
    Timing timing;
    std::vector<std::string> bytes;    // memories, outputs, semaphores that differ, a line each
    std::vector<std::string> counted;  // counts that differ, a line each
    std::vector<std::string> runs;     // what else does: messages, instructions that one has not executed
    double speed_up = 0;               // wall time of the one over that of the other

    bool same() const { return timing.differing == 0 && bytes.empty() && counted.empty() && runs.empty(); }
};

Comparison compare(const Observation& rtl, const Observation& other);

}  // namespace trnsim::parity
