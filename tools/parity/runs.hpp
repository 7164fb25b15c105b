// A package on the verilated core, on the fast one and on the interpreter.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/parity/comparison.hpp"
#include "testbench/parity/subjects.hpp"

namespace trnsim::parity {

struct Agreement {
    Comparison cores;  // fast against verilated
    std::uint64_t unlike_interpreter =
        0;  // bytes of the verilated core's outputs that are not the interpreter's
};

// Each in a process of its own. Throws std::exception for what the fast core or the interpreter does not have, and when there is no core.
Agreement run_on_all(const Subject& subject);

// What is allowed of the error of completion cycles, relative to those of the RTL.
constexpr double MostMean = 0.002, MostWorst = 0.01;
// In which ways there is more of a difference than is allowed.
struct Ways {
    bool bits = false;         // a byte, a semaphore, what has been executed
    bool times = false;        // beyond the limits
    bool interpreter = false;  // an output that is not the interpreter's

    bool share(const Ways& other) const {
        return (bits && other.bits) || (times && other.times) || (interpreter && other.interpreter);
    }
};
Ways ways_of(const Agreement& agreement);
// In no way.
bool agrees(const Agreement& agreement);
// What differs, a line each, within the limits or not.
std::vector<std::string> differences(const Agreement& agreement);

}  // namespace trnsim::parity
