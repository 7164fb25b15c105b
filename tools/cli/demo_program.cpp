// The commands of trnsim-demo: that of trnsim of the same name, without what the others need.
#include <array>

#include "tools/cli/app.hpp"
#include "tools/cli/commands.hpp"

namespace trnsim::cli {

int run(const std::vector<std::string>& arguments, const Environment& environment) {
    static constexpr std::array Commands{Command{"demo", DemoSummary, declare_demo}};
    return run(Commands, arguments, environment);
}

}  // namespace trnsim::cli
