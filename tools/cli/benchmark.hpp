// Benchmarks: a figure, and the reference it is a ratio to.
#pragma once

#include <span>
#include <string>

#include "tools/cli/environment.hpp"

namespace trnsim::cli {

struct Figure {
    double value = 0;
    double reference = 0;  // in the same unit
};

struct Benchmark {
    const char* name;
    const char* doc;            // what is measured
    const char* unit;           // of figure and reference
    const char* reference_doc;  // what the reference is
    // Runs in a process of its own, so it may build a chip. Throws std::exception when it cannot measure.
    Figure (*measure)(const Environment& environment);
};

// A new benchmark is a row in benchmarks.cpp.
std::span<const Benchmark> benchmarks();

}  // namespace trnsim::cli
