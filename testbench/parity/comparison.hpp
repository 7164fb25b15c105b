// Compares two observations of one package: the verilated core's, which is right, and another model's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/parity/observation.hpp"

namespace trnsim::parity {

struct Timing {
    std::uint64_t instructions = 0, differing = 0;  // compared; completed in another cycle
    // |difference| of the completion cycles, divided by the RTL's cycles from the start of the first
    // instruction to the completion.
    double worst = 0, mean = 0;
    std::string first;  // the first instruction that differs; empty if none does
};

struct Comparison {
    Timing timing;
    std::vector<std::string> bytes;    // memories, outputs, semaphores that differ, a line each
    std::vector<std::string> counted;  // counts that differ, a line each
    std::vector<std::string> runs;     // other differences: messages, instructions that one has not executed
    double speed_up = 0;               // wall time of the RTL over that of the other model

    bool same() const { return timing.differing == 0 && bytes.empty() && counted.empty() && runs.empty(); }
};

Comparison compare(const Observation& rtl, const Observation& other);

}  // namespace trnsim::parity
