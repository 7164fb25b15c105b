// The figures of a run as JSON, and the meaning of each of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "arch/config/config.hpp"
#include "model/estimates/tables.hpp"
#include "runtime/session/runner.hpp"

namespace trnsim::runtime {

// Returns all figures with the configuration and versions of the run, and estimates of energy and area.
std::string to_json(const Result& result, const neff::Package& package, const config::Config& config,
                    const estimates::Tables& tables);

struct StatisticInfo {
    std::string name;  // members of nested objects joined by dots
    std::string_view unit, doc;
};

struct StatisticSection {
    std::string_view doc;
    std::vector<std::string_view> paths;  // paths of the objects with the figures; empty: the document itself
    std::vector<StatisticInfo> figures;
};

// Returns the description of every figure of to_json(). In paths ENGINE stands for each engine, [] for each
// member of an array.
std::vector<StatisticSection> statistic_sections();

}  // namespace trnsim::runtime
