#include "tools/nccom/facts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "arch/config/values.hpp"

namespace trnsim::nccom {

tlm::processes::Facts facts_of(const Test& test) {
    tlm::processes::Facts facts{{"version of trnsim", TRNSIM_VERSION},
                                {"file of the program, CRC-32", tlm::processes::program_checksum()},
                                {"command line", tlm::processes::command_line()}};
    const auto add = [&facts](const config::Values& values) {
        facts.insert(facts.end(), values.begin(), values.end());
    };
    add(config::values_of(test.server));
    if (test.servers > 1) add(config::values_of(test.network));
    facts.emplace_back("groups", std::to_string(test.groups.size()));
    for (std::size_t i = 0; i < test.groups.size(); ++i)
        facts.emplace_back(fmt::format("group {}", i), fmt::format("{}", test.groups[i]));
    facts.emplace_back("pairs", std::to_string(test.pairs.size()));
    for (std::size_t i = 0; i < test.pairs.size(); ++i)
        facts.emplace_back(fmt::format("pair {}", i),
                           fmt::format("[{}, {}]", test.pairs[i].first, test.pairs[i].second));
    return facts;
}

}  // namespace trnsim::nccom
