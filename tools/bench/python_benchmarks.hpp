// The benchmarks of the Python package: other programs run them, as python -m trnsim.bench does.
#pragma once

#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trnsim::bench {

// An option that a benchmark of the Python package takes.
struct PythonOption {
    std::string_view name;
    std::string_view value;  // in the help; empty: the option has none
    std::string_view doc;
};

struct PythonBenchmark {
    std::string_view name;
    std::string_view doc;
    std::span<const PythonOption> options = {};  // a benchmark that has some takes --json and --quiet as well
};

// Their names are those of python/trnsim/bench/__main__.py.
std::span<const PythonBenchmark> python_benchmarks();

// Returns the benchmark of that name; nullptr: there is none.
const PythonBenchmark* find_python_benchmark(std::string_view name);

// Runs the benchmark in the interpreter TRNSIM_PYTHON, by default python3, copies what it prints to `out`, line
// by line, and returns its exit code. Throws std::runtime_error if the interpreter lacks the package.
int run_python_benchmark(const PythonBenchmark& benchmark, const std::vector<std::string>& arguments,
                         std::ostream& out);

}  // namespace trnsim::bench
