#include "tools/cli/missing_core.hpp"

#include <fmt/format.h>

#include "arch/config/config.hpp"

namespace trnsim::cli {

std::runtime_error missing_core(const tlm::NoCoreModel& error, const std::string& config,
                                const std::string& fast) {
    return std::runtime_error(
        fmt::format("configuration '{}' has no verilated core yet: './trnsim core {}' builds it, {} needs "
                    "none; there is: {}",
                    config, config::resolve(config).string(), fast, error.there));
}

}  // namespace trnsim::cli
