// A checked sweep file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "arch/config/document.hpp"
#include "testbench/trial/own_kernel.hpp"
#include "tools/sweep/expression.hpp"

namespace trnsim::sweep {

// The key of a kernel's label, and its name in filters and results.
inline constexpr std::string_view LabelKey = "label";

// The start of the key of an argument of a kernel.
inline constexpr std::string_view ArgumentPrefix = "kernel.";

// A key of the configuration or of the server, `base` (a configuration), `server`, `fidelity`, `rounding`, `perturb` or
// `kernel.ARGUMENT`, and what it takes in turn.
struct Axis {
    std::string key;
    std::vector<std::string> values;
    std::vector<config::Location> places{};  // by value
};

// Axes of equal length that advance together.
using Zip = std::vector<Axis>;

// A kernel; an argument with several values makes a case of each. A kernel that is not built in has no
// arguments.
struct KernelCases {
    std::string kernel;
    std::string label{};                            // names the cases in reports; empty: it has none
    std::shared_ptr<const trial::OwnKernel> own{};  // null if built in
    std::vector<Axis> arguments{};
    config::Location place;
};

struct Filter {
    Expression expression;
    config::Location place;  // place of its first character
};

inline const std::string Nearest = "nearest", Stochastic = "stochastic", None = "none";

struct Sweep {
    std::string name;
    std::string fidelity = "rtl";  // of the core, for runtime::fidelity_of()
    std::filesystem::path file;
    std::string base;    // a configuration as the file names it, for base_of()
    std::string server;  // a server with chips of the configuration; empty if none
    std::uint64_t seed = 0;
    bool check = true;                 // compare outputs with the interpreter's
    double time_limit = 600;           // s of wall time for a point
    std::string rounding = Nearest;    // rounding of narrowing writes that leave it to the core
    std::string perturb = None;        // seed of random delays, or none
    bool trace = false, wave = false;  // recordings of every point
    std::vector<Zip> axes;             // crossed; the last advances fastest
    std::vector<KernelCases> kernels;
    std::vector<Filter> filters;       // a point stays if all filters hold
    std::vector<std::string> metrics;  // names of metrics.hpp, in the order of the results' columns
};

// Reads and checks a sweep file (docs/sweeps.md). Throws config::Error `file:line:column: ...` with one of
// all_rules().
Sweep read_sweep(const std::filesystem::path& path);

// Returns the rules that the text of a sweep file can break, beyond those of every document.
std::vector<std::string> all_rules();

// Returns the argument of config::load() for the configuration `text` in a sweep file, or that of
// tlm::load_server() for a server: a name, or a path relative to the file.
std::string base_of(const std::filesystem::path& file, const std::string& text);

// Returns whether a key of servers may be an axis: one of the links, or the topology.
bool is_server_axis(std::string_view key);

}  // namespace trnsim::sweep
