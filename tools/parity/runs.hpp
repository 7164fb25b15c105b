// Runs a package on the verilated core, on the fast one and on the interpreter.
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
        0;  // bytes of the verilated core's outputs that differ from the interpreter's
};

// Runs each in a process of its own. Throws std::exception for parts that the fast core or the interpreter
// does not support, and when there is no core.
Agreement run_on_all(const Subject& subject);

// Limits of the error of completion cycles, relative to the RTL's cycles.
constexpr double MostMean = 0.002, MostWorst = 0.01;
// The ways in which a difference exceeds the limits.
struct Ways {
    bool bits = false;         // a byte, a semaphore, an executed instruction
    bool times = false;        // errors beyond the limits
    bool interpreter = false;  // an output that differs from the interpreter's

    bool share(const Ways& other) const {
        return (bits && other.bits) || (times && other.times) || (interpreter && other.interpreter);
    }
};
Ways ways_of(const Agreement& agreement);
// Returns whether no difference exceeds the limits.
bool agrees(const Agreement& agreement);
// Returns all differences, a line each, within the limits or not.
std::vector<std::string> differences(const Agreement& agreement);

}  // namespace trnsim::parity
