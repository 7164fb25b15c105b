// Benchmarks: each measures a figure and a reference, and reports their ratio.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/command/environment.hpp"

namespace trnsim::bench {

using command::Environment;

struct Part {
    std::string name;
    double value = 0;
    std::string unit;
};

struct Figure {
    double value = 0;
    double reference = 0;       // in the same unit
    std::vector<Part> parts{};  // other measurements beside it
};

struct Benchmark {
    const char* name;
    const char* doc;            // description of the measurement
    const char* unit;           // unit of figure and reference
    const char* reference_doc;  // description of the reference
    // Runs in a process of its own, so it may build a chip. Throws std::exception when it cannot measure.
    Figure (*measure)(const Environment& environment);
    bool any_core = false;  // --fidelity chooses the core
};

// A new benchmark is a row in benchmarks.cpp.
std::span<const Benchmark> benchmarks();

}  // namespace trnsim::bench
