// The points of a sweep.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "arch/config/config.hpp"
#include "arch/config/server.hpp"
#include "runtime/session/fidelity.hpp"
#include "tools/sweep/sweep.hpp"

namespace trnsim::sweep {

// A variable that differs between points: an axis, the kernel, an argument for which kernels have several
// values.
struct Variable {
    std::string name;
    std::string unit;    // base unit of the values' numbers; empty if none
    std::string doc;     // its description; empty if unknown
    std::string source;  // source of its values: "configuration", "sweep file", "kernel"
    std::string base;    // its value in the sweep's base; empty for a kernel's
};

struct Setting {
    std::string text;              // text in configurations and kernels; empty if the point has no value
    std::optional<double> number;  // in the base unit
};

struct Point {
    std::string kernel;
    std::string label;                             // of the case in the sweep file; empty: it has none
    std::shared_ptr<const trial::OwnKernel> own;   // null if built in
    std::map<std::string, std::string> arguments;  // as given
    std::string argument_text;                     // all of them, "M=128 K=128 ..."
    std::vector<Setting> settings;                 // by Plan::variables
    runtime::Fidelity fidelity{};                  // fidelity of the core
    bool stochastic = false;                       // rounding
    std::optional<std::uint32_t> perturb;          // seed of random delays
    config::Config config;
    std::optional<config::Server> server;  // server with chips of this configuration
    std::string impossible;  // reason why the configuration is impossible; empty if it is possible
};

struct Plan {
    std::vector<Variable> variables;
    std::vector<Point> points;
    std::size_t filtered = 0;  // combinations that a filter took out
};

constexpr std::size_t MaxPoints = 100'000;

// The points are ordered by kernels as in the file, then by all combinations of a kernel's arguments, then by
// all combinations of the axes. Throws config::Error.
Plan make_plan(const Sweep& sweep);

}  // namespace trnsim::sweep
