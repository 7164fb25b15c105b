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

// A value of an axis, or of a kernel's argument that has several, with which a point cannot be and without which,
// with the value of its base or another one of the argument, it can.
struct Cause {
    std::string axis, value;
    bool operator==(const Cause&) const = default;
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
    // The reason why the point cannot be: a rule of configurations or servers, a container that is built for
    // another core, a kernel that cannot be built or has more ranks than there are cores; empty if it can be. The
    // reason ends with the causes that it does not name.
    std::string impossible;
    std::vector<Cause> causes{};  // what does it, or does it together; none: every point has it
    config::Location place{};     // of the first cause, or of the kernel
};

struct Plan {
    std::vector<Variable> variables;
    std::vector<Point> points;
    std::size_t filtered = 0;  // combinations that a filter took out
};

constexpr std::size_t MaxPoints = 100'000;

// Points that cannot be for the same reason and causes.
struct Impossible {
    std::string text;  // one line: the place of the first cause, which points, the reason
    std::size_t points = 0;
};

// Returns them in the order of their first points.
std::vector<Impossible> impossible_points(const Plan& plan);

// The points are ordered by kernels as in the file, then by all combinations of a kernel's arguments, then by
// all combinations of the axes. With `build_kernels` every built-in kernel is built, each once for a target, and
// a point whose kernel cannot be, or has ranks that the server has no cores for, is impossible, too. Throws
// config::Error.
Plan make_plan(const Sweep& sweep, bool build_kernels = false);

}  // namespace trnsim::sweep
