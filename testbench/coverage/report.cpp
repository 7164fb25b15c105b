#include "testbench/coverage/report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trnsim::coverage {
namespace {

double percent(std::size_t hit, std::size_t bins) {
    return bins == 0 ? 100 : 100.0 * static_cast<double>(hit) / static_cast<double>(bins);
}

}  // namespace

Report make_report(const Plan& plan, std::span<const std::uint64_t> hits) {
    Report report;
    for (const Group& group : plan.groups) {
        GroupReport one{.name = group.name};
        for (std::size_t i = 0; i < group.combinations; ++i) {
            if (!group.wanted[i]) continue;
            ++one.bins;
            if (hits[group.first + i] != 0) {
                ++one.hit;
            } else {
                one.missing.push_back(bin_name(group, i));
            }
        }
        report.bins += one.bins;
        report.hit += one.hit;
        report.groups.push_back(std::move(one));
    }
    return report;
}

std::string to_text(const Report& report, std::size_t shown) {
    std::string text;
    for (const GroupReport& group : report.groups) {
        text += fmt::format("  {:<34} {:5.1f} %  {} of {} bins\n", group.name, percent(group.hit, group.bins),
                            group.hit, group.bins);
        for (std::size_t i = 0; i < std::min(shown, group.missing.size()); ++i)
            text += fmt::format("    missing: {}\n", group.missing[i]);
        if (group.missing.size() > shown)
            text += fmt::format("    missing: {} more\n", group.missing.size() - shown);
    }
    text += fmt::format("  {:<34} {:5.1f} %  {} of {} bins\n", "functional coverage", report.percent(),
                        report.hit, report.bins);
    return text;
}

}  // namespace trnsim::coverage
