#include "tools/command/target_config.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "arch/config/config.hpp"
#include "arch/config/folders.hpp"
#include "arch/config/nearest.hpp"
#include "arch/config/server.hpp"
#include "arch/target/target.hpp"
#include "model/system/load_server.hpp"

namespace trnsim::command {

std::string config_for(const neff::Package& package) {
    const std::vector<std::string> names = config::shipped();
    // Tries the default first: reading all of them takes much of the program's start.
    std::vector<std::string> in_order = names;
    std::ranges::stable_partition(in_order, [](const std::string& name) { return name == DefaultConfig; });
    for (const std::string& name : in_order) {
        const target::Core target = target::of(config::load(name));
        if (target == package.target) return name;
    }
    throw std::runtime_error(
        fmt::format("kernel '{}' is built for none of the shipped configurations ({}), expected --config",
                    package.name, fmt::join(names, ", ")));
}

void check_chip_or_server(const std::string& name_or_path) {
    if (config::is_path(name_or_path)) return;
    std::vector<std::string> known = config::shipped();
    std::ranges::copy(config::shipped_servers(), std::back_inserter(known));
    if (std::ranges::find(known, name_or_path) != known.end()) return;
    throw std::runtime_error(fmt::format(
        "configuration '{}' is not known, expected one like '{}' or the path of a file (there are: {})",
        name_or_path, config::nearest(name_or_path, known), fmt::join(known, ", ")));
}

std::string config_of_chips(const std::string& name_or_path) {
    const std::vector<std::string> servers = config::shipped_servers();
    check_chip_or_server(name_or_path);
    const bool is_server = std::ranges::find(servers, name_or_path) != servers.end();
    return is_server ? tlm::load_server(name_or_path).chip_name : name_or_path;
}

}  // namespace trnsim::command
