// Finds the reason for which a point of a sweep cannot be, and the axes that cause it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arch/config/config.hpp"
#include "arch/config/server.hpp"
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

struct TriedKernel {
    std::string error;                     // of the builder or the arguments; empty: the kernel can be built
    std::optional<std::uint32_t> ranks{};  // of its collectives, if it has any
};

// Kernels, each built once for a target.
class TriedKernels {
  public:
    const TriedKernel& find(const std::string& kernel, const std::map<std::string, std::string>& arguments,
                            const config::Config& config);
    const TriedKernel& find(const std::filesystem::path& container);

  private:
    std::map<std::string, TriedKernel> kernels_;  // by kernel, arguments and target, or by file
};

// Returns the obstacle of collectives of `ranks` ranks on a server; none: there is no server.
std::optional<Obstacle> obstacle_of_ranks(std::uint32_t ranks, const std::optional<config::Server>& server);

// Returns the axes that cause an obstacle: every one without which it is gone; if there is none, axes that
// have to go together. `there` says whether some axes alone have the obstacle.
std::vector<Cause> causes_of(const Settings& axes, const std::function<bool(const Settings&)>& there);

}  // namespace trnsim::sweep
