// The benchmarks of the Python package: other programs run them, as python -m trnsim.bench does.
#pragma once

#include <ostream>
#include <span>
#include <string_view>

namespace trnsim::bench {

struct PythonBenchmark {
    std::string_view name;
    std::string_view doc;
};

// Their names are those of python/trnsim/bench/__main__.py.
std::span<const PythonBenchmark> python_benchmarks();

// Returns the benchmark of that name; nullptr: there is none.
const PythonBenchmark* find_python_benchmark(std::string_view name);

// Runs the benchmark in the interpreter TRNSIM_PYTHON, by default python3, and copies what it prints to `out`,
// line by line. Throws std::runtime_error if the interpreter lacks the package or the benchmark fails.
void run_python_benchmark(const PythonBenchmark& benchmark, std::ostream& out);

}  // namespace trnsim::bench
