// Finds the reason for which a point of a sweep cannot be, and the axes that cause it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arch/config/config.hpp"
#include "testbench/trial/own_kernel.hpp"
#include "tools/sweep/plan.hpp"

namespace trnsim::sweep {

using Settings = std::vector<std::pair<std::string, std::string>>;  // key, text

struct Obstacle {
    std::string name, reason;  // the name is that of the rule
};

// Returns the first rule of configurations that one breaks, or the property in which the core differs from the
// one that a container is built for. `own` is null for a built-in kernel.
std::optional<Obstacle> obstacle_of(const config::Config& config, const trial::OwnKernel* own);

// Kernels that cannot be built. Each is tried once for a target.
class UnbuiltKernels {
  public:
    // Returns the builder's or the arguments' error; nothing if the kernel can be built.
    std::optional<Obstacle> find(const std::string& kernel,
                                 const std::map<std::string, std::string>& arguments,
                                 const config::Config& config);

  private:
    std::map<std::string, std::string> errors_;  // by kernel, arguments and target; empty: it can be built
};

// Returns the axes that cause an obstacle: every one without which it is gone; if there is none, axes that
// have to go together. `there` says whether some axes alone have the obstacle.
std::vector<Cause> causes_of(const Settings& axes, const std::function<bool(const Settings&)>& there);

}  // namespace trnsim::sweep
