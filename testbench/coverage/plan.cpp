#include "testbench/coverage/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trnsim::coverage {

Plan only(Plan plan, const std::vector<std::string>& groups) {
    if (groups.empty()) return plan;
    std::erase_if(plan.groups,
                  [&](const Group& group) { return std::ranges::find(groups, group.name) == groups.end(); });
    return plan;
}

std::string bin_name(const Group& group, std::size_t combination) {
    std::string text;
    for (std::size_t p = group.cross.size(); p-- > 0;) {
        const Point& point = group.cross[p];
        text = fmt::format("{}{}{}", point.bins[combination % point.bins.size()].name,
                           text.empty() ? "" : ", ", text);
        combination /= point.bins.size();
    }
    return text;
}

}  // namespace trnsim::coverage
