// What a sweep reports of every point: figures of the simulated machine, none of the host's.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/runtime/figures.hpp"

namespace trnsim::sweep {

struct Metric {
    std::string_view name, unit, doc;
    int better;  // 1: the more the better, -1: the less, 0: neither
    double (*of)(const runtime::Figures&);
};

std::span<const Metric> metrics();
const Metric& find_metric(std::string_view name);  // must be there

std::vector<std::string> metric_names();
std::vector<std::string> default_metrics();

}  // namespace trnsim::sweep
