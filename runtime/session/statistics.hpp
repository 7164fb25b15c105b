// The figures of a run as JSON, and what each of them means.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "arch/config/config.hpp"
#include "model/estimates/tables.hpp"
#include "runtime/session/runner.hpp"

namespace trnsim::runtime {

// All figures with the configuration and versions they belong to, and estimates of energy and area.
std::string to_json(const Result& result, const neff::Package& package, const config::Config& config,
                    const estimates::Tables& tables);

struct StatisticInfo {
    std::string name;  // members of nested objects joined by dots
    std::string_view unit, doc;
};

struct StatisticSection {
    std::string_view doc;
    std::vector<std::string_view> paths;  // of the objects that hold the figures; none: the document itself
    std::vector<StatisticInfo> figures;
};

// Every figure of to_json(). In paths ENGINE stands for each engine, [] for each member of an array.
std::vector<StatisticSection> statistic_sections();

}  // namespace trnsim::runtime
