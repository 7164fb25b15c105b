#include "tools/sweep/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "base/numbers/numbers.hpp"

namespace trnsim::sweep {
namespace {

std::optional<double> value_of(const Results& results, std::size_t point, std::string_view metric) {
    if (!results[point] || results[point]->status != Status::Ok) return std::nullopt;
    const auto found = results[point]->metrics.find(std::string(metric));
    return found == results[point]->metrics.end() ? std::nullopt : std::optional(found->second);
}

// Less is better.
double cost(const Metric& metric, double value) {
    return metric.better > 0 ? -value : value;
}

bool is_of_machine(const Variable& variable) {
    return variable.source != "kernel";
}

// The logarithms of a metric, less the mean of their work, by point.
std::map<std::size_t, double> deviations(const Plan& plan, const Results& results, const Metric& metric) {
    std::map<std::string, std::vector<std::size_t>> works;
    std::map<std::size_t, double> logarithms;
    for (std::size_t i = 0; i < results.size(); ++i) {
        const auto value = value_of(results, i, metric.name);
        if (!value) continue;
        if (!(*value > 0)) return {};
        logarithms[i] = std::log(*value);
        works[work_of(plan.points[i])].push_back(i);
    }
    for (const auto& [work, points] : works) {
        double sum = 0;
        for (const std::size_t point : points) sum += logarithms[point];
        for (const std::size_t point : points) logarithms[point] -= sum / static_cast<double>(points.size());
    }
    return logarithms;
}

// Kernel, arguments and settings of a point without the ranks; nothing for a kernel without that argument.
std::optional<std::string> family_of(const Plan& plan, std::size_t index) {
    const Point& point = plan.points[index];
    if (!point.arguments.contains("ranks")) return std::nullopt;
    std::string text = point.kernel;
    for (const auto& [name, value] : point.arguments)
        if (name != "ranks") text += fmt::format(" {}={}", name, value);
    const std::string settings = settings_of(plan, index);
    return settings.empty() ? text : text + ", " + settings;
}

}  // namespace

std::string work_of(const Point& point) {
    const std::string file = point.own ? fmt::format(" ({})", point.own->file.string()) : "";
    return fmt::format("{}{}{}{}", point.kernel, file, point.argument_text.empty() ? "" : " ",
                       point.argument_text);
}

std::string settings_of(const Plan& plan, std::size_t point) {
    std::string text;
    for (std::size_t v = 0; v < plan.variables.size(); ++v) {
        const std::string& setting = plan.points[point].settings[v].text;
        if (!setting.empty() && is_of_machine(plan.variables[v]))
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", plan.variables[v].name, setting);
    }
    return text;
}

bool has_one_clock(const Plan& plan) {
    return std::ranges::all_of(plan.points, [&](const Point& point) {
        return point.config.core.clock == plan.points.front().config.core.clock;
    });
}

std::map<std::string, std::vector<std::size_t>> pareto_fronts(const Plan& plan, const Results& results,
                                                              const Metric& one, const Metric& other) {
    std::map<std::string, std::vector<std::size_t>> works;
    for (std::size_t i = 0; i < results.size(); ++i)
        if (value_of(results, i, one.name) && value_of(results, i, other.name))
            works[work_of(plan.points[i])].push_back(i);
    for (auto& [work, points] : works) {
        const auto costs = [&](std::size_t i) {
            return std::pair(cost(one, *value_of(results, i, one.name)),
                             cost(other, *value_of(results, i, other.name)));
        };
        std::ranges::stable_sort(points, {}, costs);
        std::vector<std::size_t> front;
        for (const std::size_t point : points)
            if (front.empty() || costs(point).second < costs(front.back()).second) front.push_back(point);
        points = std::move(front);
    }
    return works;
}

std::vector<Importance> importance(const Plan& plan, const Results& results, const Metric& metric) {
    const std::map<std::size_t, double> all = deviations(plan, results, metric);
    double whole = 0;
    for (const auto& [point, deviation] : all) whole += deviation * deviation;
    std::vector<Importance> axes;
    constexpr double Rounding = 1e-18;  // of logarithms of equal figures
    if (whole <= Rounding) return axes;
    for (std::size_t v = 0; v < plan.variables.size(); ++v) {
        if (!is_of_machine(plan.variables[v])) continue;
        std::map<std::string, std::vector<double>> groups;
        for (const auto& [point, deviation] : all)
            groups[plan.points[point].settings[v].text].push_back(deviation);
        if (groups.size() < 2) continue;
        Importance axis;
        axis.axis = plan.variables[v].name;
        double explained = 0, low = 0, high = 0;
        for (const auto& [text, deviations] : groups) {
            double mean = 0;
            for (const double deviation : deviations) mean += deviation / as_double(deviations.size());
            explained += mean * mean * as_double(deviations.size());
            if (axis.least.empty() || mean < low) low = mean, axis.least = text;
            if (axis.most.empty() || mean > high) high = mean, axis.most = text;
        }
        axis.share = ratio(explained, whole);
        axis.factor = std::exp(high - low);
        axes.push_back(std::move(axis));
    }
    std::ranges::stable_sort(axes, std::greater<>(), &Importance::share);
    return axes;
}

std::map<std::size_t, Scaling> scaling_of(const Plan& plan, const Results& results) {
    std::map<std::string, std::vector<std::size_t>> families;
    for (std::size_t i = 0; i < results.size(); ++i) {
        const auto family = family_of(plan, i);
        if (family && value_of(results, i, "time") && value_of(results, i, "ranks"))
            families[*family].push_back(i);
    }
    std::map<std::size_t, Scaling> scaling;
    for (const auto& [family, points] : families) {
        const auto ranks = [&](std::size_t i) { return *value_of(results, i, "ranks"); };
        const std::size_t base = *std::ranges::min_element(points, {}, ranks);
        if (std::ranges::all_of(points, [&](std::size_t i) { return ranks(i) == ranks(base); })) continue;
        // Work of all ranks a second; kernels without matmuls do the same at every point.
        const auto rate = [&](std::size_t i) {
            const double macs = value_of(results, i, "macs_of_ranks").value_or(0);
            return (macs > 0 ? macs : 1) / *value_of(results, i, "time");
        };
        for (const std::size_t i : points) {
            const double speed_up = ratio(rate(i), rate(base));
            scaling[i] = {family, ranks(i), speed_up, speed_up * ranks(base) / ranks(i)};
        }
    }
    return scaling;
}

}  // namespace trnsim::sweep
