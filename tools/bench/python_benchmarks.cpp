#include "tools/bench/python_benchmarks.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

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

// The same options as in python/trnsim/bench/silicon/command.py; bench_test.py compares them.
constexpr std::array SiliconOptions{
    PythonOption{"--kernels", "DIR",
                 "Folder with checkouts of the public repositories, whose kernels run as well"},
    PythonOption{"--only", "PATTERNS", "Kernels by name, with * and ?, separated by commas"},
    PythonOption{"--full", "", "Published sizes, also where a share of the work will do"},
    PythonOption{"--config", "CONFIG", "Configuration, a name or a .yaml file, instead of trn1"},
    PythonOption{"--jobs", "N", "Kernels that are simulated at once, 1"},
    PythonOption{"--timeout", "S", "Seconds after which a kernel is stopped, 1800"},
    PythonOption{"--memory", "GIB", "Host memory at which a kernel is stopped, 8"},
    PythonOption{"--start", "US", "Start of a kernel, added to its time, 14"},
    PythonOption{"--picture", "FILE", "Write the scatter plot, .svg"},
    PythonOption{"--write-docs", "FILE", "Rewrite the table of docs/silicon.md, and its picture"},
    PythonOption{"--update-baseline", "FILE", "Write the cycles of the tree's kernels at small sizes, .json"},
    PythonOption{"--calibrate", "CSV", "Refit keys of the configuration to measurements"},
    PythonOption{"--keys", "KEYS", "Keys of the refit, separated by commas"},
};

constexpr std::array PythonBenchmarks{
    PythonBenchmark{"nki-overhead", "what a call of an NKI kernel costs on the host"},
    PythonBenchmark{"nki-simulation", "NKI kernels in the NumPy simulation, beside plain NumPy"},
    PythonBenchmark{"nki-latencies", "simulated times of NKI beside the published ones"},
    PythonBenchmark{"silicon", "simulated times of kernels beside those measured on the chip",
                    SiliconOptions},
};

// Returns the exit code of a command, -1 if it has none; `line` takes each line that it prints.
template <typename Line>
int run(const std::string& command, const Line& line) {
    std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
    if (pipe == nullptr) return -1;
    std::array<char, 4096> buffer{};
    while (std::fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr) line(buffer.data());
    const int status = ::pclose(pipe.release());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

std::span<const PythonBenchmark> python_benchmarks() {
    return PythonBenchmarks;
}

const PythonBenchmark* find_python_benchmark(std::string_view name) {
    const auto found = std::ranges::find(PythonBenchmarks, name, &PythonBenchmark::name);
    return found == PythonBenchmarks.end() ? nullptr : &*found;
}

int run_python_benchmark(const PythonBenchmark& benchmark, const std::vector<std::string>& arguments,
                         std::ostream& out) {
    const char* named = std::getenv("TRNSIM_PYTHON");
    const std::string interpreter = named != nullptr && *named != '\0' ? named : "python3";
    const std::string python = text::shell_path(interpreter);
    if (run(python + " -c 'import trnsim.bench' 2>/dev/null", [](const char*) {}) != 0)
        throw std::runtime_error(
            fmt::format("{}: found no package trnsim, expected it (docs/python.md) or another interpreter in "
                        "TRNSIM_PYTHON",
                        interpreter));
    std::string command = fmt::format("{} -u -m trnsim.bench {}", python, benchmark.name);
    for (const std::string& argument : arguments) command += " " + text::shell_word(argument);
    return run(command, [&out](const char* line) { out << line << std::flush; });
}

}  // namespace trnsim::bench
