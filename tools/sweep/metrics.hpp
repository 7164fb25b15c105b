// The metrics that a sweep reports for every point: figures of the simulated machine, none of the host's, and
// estimates.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/session/estimates.hpp"

namespace trnsim::sweep {

// Figures of a server: of its links, and of all ranks.
struct ServerFigures {
    double bytes = 0;  // bytes of data, sent over all links
    double busy = 0;   // share of the time that the busiest direction is occupied
    double ranks = 1;
    double macs = 0;  // of all ranks
};

struct Metric {
    std::string_view name, unit, doc;
    int better;  // 1: more is better, -1: less is better, 0: neither
    std::variant<double (*)(const runtime::Figures&), double (*)(const runtime::Estimates&),
                 double (*)(const ServerFigures&)>
        of;

    bool is_estimate() const { return std::holds_alternative<double (*)(const runtime::Estimates&)>(of); }
    // Returns nothing if the run has no such figure.
    std::optional<double> value(const runtime::Figures& figures, const runtime::Estimates& estimates,
                                const std::optional<ServerFigures>& server = {}) const;
};

std::span<const Metric> metrics();
const Metric& find_metric(std::string_view name);  // must exist

std::vector<std::string> metric_names();
std::vector<std::string> default_metrics(bool server = false);

}  // namespace trnsim::sweep
