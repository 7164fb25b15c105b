#include "tools/cli/target_config.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>
#include <vector>

#include "lib/builder/target.hpp"
#include "lib/config/config.hpp"

namespace trnsim::cli {

std::string config_for(const neff::Package& package) {
    const std::vector<std::string> names = config::shipped();
    for (const std::string& name : names) {
        const neff::Target target = builder::target_of(config::load(name));
        if (target == package.target) return name;
    }
    throw std::runtime_error(
        fmt::format("kernel '{}' is built for none of the shipped configurations ({}), expected --config",
                    package.name, fmt::join(names, ", ")));
}

}  // namespace trnsim::cli
