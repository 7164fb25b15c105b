#include "tools/cli/missing_core.hpp"

#include <fmt/format.h>

#include "arch/config/config.hpp"
#include "base/text/shell.hpp"

namespace trnsim::cli {

std::runtime_error missing_core(const tlm::NoCoreModel& error, const std::string& config,
                                const std::string& fast) {
    return std::runtime_error(
        fmt::format("configuration '{}' has no verilated core yet: ./trnsim core {} builds it, {} needs "
                    "none; there is: {}",
                    config, text::shell_path(config::resolve(config).string()), fast, error.there));
}

}  // namespace trnsim::cli
