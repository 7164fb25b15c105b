#include "tools/bench/python_benchmarks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include "base/text/shell.hpp"

namespace trnsim::bench {
namespace {

constexpr std::array PythonBenchmarks{
    PythonBenchmark{"nki-overhead", "what a call of an NKI kernel costs on the host"},
    PythonBenchmark{"nki-simulation", "NKI kernels in the NumPy simulation, beside plain NumPy"},
    PythonBenchmark{"nki-latencies", "simulated times of NKI beside the published ones"},
};

// Returns whether the command succeeds; `line` takes each line that it prints.
template <typename Line>
bool run(const std::string& command, const Line& line) {
    std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
    if (pipe == nullptr) return false;
    std::array<char, 4096> buffer{};
    while (std::fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr) line(buffer.data());
    return ::pclose(pipe.release()) == 0;
}

}  // namespace

std::span<const PythonBenchmark> python_benchmarks() {
    return PythonBenchmarks;
}

const PythonBenchmark* find_python_benchmark(std::string_view name) {
    const auto found = std::ranges::find(PythonBenchmarks, name, &PythonBenchmark::name);
    return found == PythonBenchmarks.end() ? nullptr : &*found;
}

void run_python_benchmark(const PythonBenchmark& benchmark, std::ostream& out) {
    const char* named = std::getenv("TRNSIM_PYTHON");
    const std::string interpreter = named != nullptr && *named != '\0' ? named : "python3";
    const std::string python = text::shell_path(interpreter);
    if (!run(python + " -c 'import trnsim.bench' 2>/dev/null", [](const char*) {}))
        throw std::runtime_error(
            fmt::format("{}: found no package trnsim, expected it (docs/python.md) or another interpreter in "
                        "TRNSIM_PYTHON",
                        interpreter));
    const auto print = [&out](const char* line) { out << line << std::flush; };
    if (!run(fmt::format("{} -u -m trnsim.bench {}", python, benchmark.name), print))
        throw std::runtime_error("it failed, as it says above");
}

}  // namespace trnsim::bench
