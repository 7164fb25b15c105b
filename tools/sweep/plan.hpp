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

// What differs between points: an axis, the kernel, an argument of which kernels have several values.
struct Variable {
    std::string name;
    std::string unit;    // base unit of the values' numbers; empty: none
    std::string doc;     // what it is; empty: nothing is known of it
    std::string source;  // where its values come from: "configuration", "sweep file", "kernel"
    std::string base;    // the value of the sweep's base; empty: a kernel's
};

struct Setting {
    std::string text;              // as configurations and kernels take it; empty: the point has none
    std::optional<double> number;  // in the base unit
};

struct Point {
    std::string kernel;
    std::shared_ptr<const trial::OwnKernel> own;   // null: built in
    std::map<std::string, std::string> arguments;  // as given
    std::string argument_text;                     // all of them, "M=128 K=128 ..."
    std::vector<Setting> settings;                 // by Plan::variables
    runtime::Fidelity fidelity{};                  // of the core
    bool stochastic = false;                       // rounding
    std::optional<std::uint32_t> perturb;          // seed of random delays
    config::Config config;
    std::optional<config::Server> server;  // whose chips have it
    std::string impossible;                // why the configuration cannot be; empty: it can
};

struct Plan {
    std::vector<Variable> variables;
    std::vector<Point> points;
    std::size_t filtered = 0;  // combinations that a filter took out
};

constexpr std::size_t MaxPoints = 100'000;

// Kernels in the order of the file, for each all combinations of its arguments, for each all combinations of
// the axes. Throws config::Error.
Plan make_plan(const Sweep& sweep);

}  // namespace trnsim::sweep
