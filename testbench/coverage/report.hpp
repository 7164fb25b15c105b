// The part of a plan that was hit.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "testbench/coverage/plan.hpp"

namespace trnsim::coverage {

struct GroupReport {
    std::string name;
    std::size_t bins = 0, hit = 0;
    std::vector<std::string> missing{};
};

struct Report {
    std::size_t bins = 0, hit = 0;
    std::vector<GroupReport> groups;

    double percent() const {
        return bins == 0 ? 100 : 100.0 * static_cast<double>(hit) / static_cast<double>(bins);
    }
};

// `hits` are by combination of the plan.
Report make_report(const Plan& plan, std::span<const std::uint64_t> hits);

// Returns a line for each group with the first `shown` of its missing bins, and a line for the total.
std::string to_text(const Report& report, std::size_t shown);

}  // namespace trnsim::coverage
