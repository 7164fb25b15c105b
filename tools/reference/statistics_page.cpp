#include "runtime/session/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tools/reference/markdown.hpp"
#include "tools/reference/pages.hpp"
#include "tools/sweep/metrics.hpp"

namespace trnsim::reference {
namespace {

std::string better(const sweep::Metric& metric) {
    if (metric.better == 0) return "";
    return metric.better > 0 ? "more" : "less";
}

}  // namespace

std::string statistics_page() {
    std::string text =
        "## `--stats`\n\nThe JSON file of `trnsim run --stats FILE`. Names of members of nested "
        "objects are joined by dots; ENGINE stands for tensor, vector, scalar, gpsimd and sync.\n\n";
    for (const runtime::StatisticSection& section : runtime::statistic_sections()) {
        std::vector<Row> rows;
        for (const runtime::StatisticInfo& figure : section.figures)
            rows.push_back({code(figure.name), std::string(figure.unit), std::string(figure.doc)});
        std::string paths;
        for (const std::string_view path : section.paths)
            paths += fmt::format("{}`{}`", paths.empty() ? "In " : ", ", path);
        text += fmt::format("### {}\n\n{}", section.doc, paths.empty() ? "" : paths + ":\n\n") +
                table({"figure", "unit", "meaning"}, rows);
    }
    text +=
        "## Metrics of sweeps\n\nColumns of a sweep's results; `metrics` of the [sweep file](sweeps.md) "
        "chooses them. All are of the simulated machine, none\nof the host.\n\n";
    std::vector<Row> rows;
    const std::vector<std::string> standard = sweep::default_metrics();
    for (const sweep::Metric& metric : sweep::metrics()) {
        rows.push_back({code(metric.name), std::string(metric.unit), std::string(metric.doc), better(metric),
                        std::ranges::count(standard, metric.name) != 0 ? "yes" : ""});
    }
    return text + table({"metric", "unit", "meaning", "better", "without `metrics`"}, rows);
}

}  // namespace trnsim::reference
