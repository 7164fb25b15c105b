#include "tools/sweep/analysis_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace trnsim::sweep {
namespace {

constexpr std::size_t ShownWorks = 4, ShownFamilies = 8;

std::string with_unit(double value, const Metric& metric) {
    return fmt::format("{:.6g}{}{}", value, metric.unit.empty() ? "" : " ", metric.unit);
}

std::string more(std::size_t count, std::size_t shown, std::string_view what) {
    return count <= shown ? "" : fmt::format("  {} further {}: report.html\n", count - shown, what);
}

// Returns "point 5, dma.engines 4".
std::string named(const Plan& plan, std::size_t point) {
    const std::string settings = settings_of(plan, point);
    return fmt::format("point {}{}{}", point, settings.empty() ? "" : ", ", settings);
}

double figure(const Results& results, std::size_t point, std::string_view name) {
    return results[point]->metrics.at(std::string(name));
}

bool counts_cycles(const Metric& metric) {
    return metric.name == "cycles" || metric.name == "macs_per_cycle";
}

// Returns the sweep's metrics; with several clocks those that count cycles give way to the time.
std::vector<std::string> comparable_metrics(const Sweep& sweep, const Plan& plan) {
    std::vector<std::string> names = sweep.metrics;
    if (has_one_clock(plan)) return names;
    const std::size_t before = names.size();
    std::erase_if(names, [](const std::string& name) { return counts_cycles(find_metric(name)); });
    if (names.size() != before && std::ranges::find(names, "time") == names.end())
        names.insert(names.begin(), "time");
    return names;
}

}  // namespace

std::string best_points(const Sweep& sweep, const Plan& plan, const Results& results) {
    std::map<std::string, std::vector<std::size_t>> works;
    for (std::size_t i = 0; i < results.size(); ++i)
        if (results[i] && results[i]->status == Status::Ok) works[work_of(plan.points[i])].push_back(i);
    std::string text;
    for (const std::string& name : comparable_metrics(sweep, plan)) {
        const Metric& metric = find_metric(name);
        if (metric.better == 0) continue;
        std::size_t shown = 0;
        for (const auto& [work, points] : works) {
            std::optional<std::size_t> best;
            for (const std::size_t i : points) {
                if (!results[i]->metrics.contains(name)) continue;
                const auto value = [&](std::size_t at) { return metric.better * figure(results, at, name); };
                if (!best || value(i) > value(*best)) best = i;
            }
            if (!best || ++shown > ShownWorks) continue;
            text += fmt::format("  {:<18} {}: {}{}\n", "best " + name,
                                with_unit(figure(results, *best, name), metric), named(plan, *best),
                                works.size() > 1 ? ": " + work : "");
        }
    }
    return text + more(works.size(), ShownWorks, "kernels and shapes");
}

std::string pareto_text(const Plan& plan, const Results& results, const Metric& one, const Metric& other) {
    std::string text;
    for (const auto& [work, points] : pareto_fronts(plan, results, one, other)) {
        text += fmt::format("no point of {} beats these in both {} and {}\n", work, one.name, other.name);
        for (const std::size_t point : points)
            text += fmt::format("  {:<18} {:<18} {}\n", with_unit(figure(results, point, one.name), one),
                                with_unit(figure(results, point, other.name), other), named(plan, point));
    }
    return text.empty() ? fmt::format("no point has both {} and {}\n", one.name, other.name) : text;
}

std::string importance_text(const Plan& plan, const Results& results, const Metric& metric) {
    const std::vector<Importance> axes = importance(plan, results, metric);
    if (axes.empty()) return fmt::format("no axis changes {}\n", metric.name);
    std::string text =
        fmt::format("{} by axis: share of its variance, and what the axis changes alone\n", metric.name);
    double sum = 0;
    for (const Importance& axis : axes) {
        text += fmt::format("  {:<28} {:5.1f} %  {:.3g} times from {} to {}\n", axis.axis, 100 * axis.share,
                            axis.factor, axis.least, axis.most);
        sum += axis.share;
    }
    // The rest is what one axis does otherwise with others, or with another kernel or shape.
    std::set<std::string> works;
    for (std::size_t i = 0; i < results.size(); ++i)
        if (results[i] && results[i]->status == Status::Ok) works.insert(work_of(plan.points[i]));
    const char* rest = works.size() < 2  ? "axes together"
                       : axes.size() < 2 ? "differs by kernel and shape"
                                         : "axes together, and by shape";
    return text + fmt::format("  {:<28} {:5.1f} %\n", rest, 100 * std::max(0.0, 1 - sum));
}

std::string scaling_text(const Plan& plan, const Results& results) {
    const std::map<std::size_t, Scaling> scaling = scaling_of(plan, results);
    std::map<std::string, std::vector<std::size_t>> families;
    for (const auto& [point, one] : scaling) families[one.family].push_back(point);
    std::string text;
    std::size_t shown = 0;
    for (auto& [family, points] : families) {
        if (++shown > ShownFamilies) break;
        std::ranges::stable_sort(points, {}, [&](std::size_t point) { return scaling.at(point).ranks; });
        text += fmt::format("scaling of {}\n  {:<8}{:>14}{:>12}{:>14}{:>22}\n", family, "ranks", "time",
                            "speed-up", "efficiency", "energy of all ranks");
        for (const std::size_t point : points) {
            const Scaling& one = scaling.at(point);
            text += fmt::format("  {:<8}{:>11.4g} us{:>12.2f}{:>12.1f} %{:>19.4g} uJ\n", one.ranks,
                                1e6 * figure(results, point, "time"), one.speed_up, 100 * one.efficiency,
                                1e6 * figure(results, point, "energy"));
        }
    }
    return text + more(families.size(), ShownFamilies, "families of points");
}

}  // namespace trnsim::sweep
