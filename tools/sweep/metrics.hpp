// What a sweep reports of every point: figures of the simulated machine, none of the host's, and estimates.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/session/estimates.hpp"

namespace trnsim::sweep {

// Of the links of a server.
struct LinkFigures {
    double bytes = 0;  // of data, sent over all of them
    double busy = 0;   // share of the time that the busiest direction is occupied
};

struct Metric {
    std::string_view name, unit, doc;
    int better;  // 1: the more the better, -1: the less, 0: neither
    std::variant<double (*)(const runtime::Figures&), double (*)(const runtime::Estimates&),
                 double (*)(const LinkFigures&)>
        of;

    bool is_estimate() const { return std::holds_alternative<double (*)(const runtime::Estimates&)>(of); }
    // Nothing where a run has no such figure.
    std::optional<double> value(const runtime::Figures& figures, const runtime::Estimates& estimates,
                                const std::optional<LinkFigures>& links = {}) const;
};

std::span<const Metric> metrics();
const Metric& find_metric(std::string_view name);  // must be there

std::vector<std::string> metric_names();
std::vector<std::string> default_metrics(bool server = false);

}  // namespace trnsim::sweep
