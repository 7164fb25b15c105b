#include "tools/sweep/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <systemc>

#include "base/files/files.hpp"
#include "tools/sweep/analysis.hpp"
#include "tools/sweep/metrics.hpp"

namespace trnsim::sweep {
namespace {

using Json = nlohmann::ordered_json;

std::string csv_quoted(const std::string& text) {
    if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
    std::string result = "\"";
    for (const char c : text) result.append(c == '"' ? 2 : 1, c);
    return result + "\"";
}

std::string with_unit(std::string_view name, std::string_view unit) {
    return unit.empty() ? std::string(name) : fmt::format("{} ({})", name, unit);
}

std::string cell(const Setting& setting) {
    return setting.number ? fmt::format("{}", *setting.number) : csv_quoted(setting.text);
}

// Returns the headings of the first columns.
std::string heading(const Plan& plan) {
    std::string text = "point";
    for (const Variable& variable : plan.variables) text += "," + with_unit(variable.name, variable.unit);
    return text + ",arguments";
}
std::string description(const Plan& plan, std::size_t index) {
    std::string text = fmt::format("{}", index);
    for (const Setting& setting : plan.points[index].settings) text += "," + cell(setting);
    return text + "," + csv_quoted(plan.points[index].argument_text);
}

std::string metric_cell(const PointResult& result, const std::string& name) {
    const auto found = result.metrics.find(name);
    return found == result.metrics.end() ? "" : fmt::format("{}", found->second);
}

Json settings_json(const Plan& plan, const Point& point) {
    Json json = Json::object();
    for (std::size_t i = 0; i < plan.variables.size(); ++i) {
        const Setting& setting = point.settings[i];
        if (setting.text.empty()) continue;
        Json& entry = json[plan.variables[i].name];
        entry["text"] = setting.text;
        if (setting.number) entry["number"] = *setting.number;
    }
    return json;
}

Json point_json(const Sweep& sweep, const Plan& plan, std::size_t index, const PointResult& result,
                const std::vector<std::string>& metrics) {
    const Point& point = plan.points[index];
    Json json{{"point", index},
              {"kernel", point.kernel},
              {"arguments", point.argument_text},
              {"settings", settings_json(plan, point)},
              {"seed", sweep.seed},
              {"rtl_hash", result.rtl_hash},
              {"status", name_of(result.status)},
              {"reason", result.reason},
              {"wall_seconds", result.wall_seconds},
              {"cpu_seconds", result.cpu_seconds}};
    if (point.own) json["file"] = point.own->file.string();
    if (!result.recordings.empty()) json["recordings"] = result.recordings;
    json["metrics"] = Json::object();
    for (const std::string& name : metrics)
        if (result.metrics.contains(name)) json["metrics"][name] = result.metrics.at(name);
    return json;
}

// Figures of points that differ only in the number of ranks, as further columns.
struct ScalingColumn {
    std::string_view name, doc;
    double Scaling::*of;
};
constexpr std::array ScalingColumns{
    ScalingColumn{"speed_up",
                  "work a second relative to the fewest ranks: macs of all ranks / time, or 1 / time",
                  &Scaling::speed_up},
    ScalingColumn{"efficiency", "speed_up / (ranks / fewest ranks)", &Scaling::efficiency},
};

// Returns the metrics of the page: with several clocks the time is among them.
std::vector<std::string> metrics_of_page(const Sweep& sweep, const Plan& plan) {
    std::vector<std::string> names = sweep.metrics;
    if (!has_one_clock(plan) && std::ranges::find(names, "time") == names.end()) names.emplace_back("time");
    return names;
}

// Returns the text of the file, or nothing when it does not exist any more.
std::string text_of(const std::filesystem::path& path) {
    try {
        const auto bytes = files::read(path);
        return {bytes.begin(), bytes.end()};
    } catch (const files::Error&) {
        return "";
    }
}

std::string verilator_of(const Results& results) {
    for (const auto& result : results)
        if (result && !result->verilator.empty()) return result->verilator;
    return "";
}

}  // namespace

std::string to_csv(const Sweep& sweep, const Plan& plan, const Results& results) {
    std::string text = heading(plan) + ",seed,rtl_hash,status,reason";
    for (const std::string& name : sweep.metrics) text += "," + with_unit(name, find_metric(name).unit);
    const std::map<std::size_t, Scaling> scaling = scaling_of(plan, results);
    for (const ScalingColumn& column : ScalingColumns)
        if (!scaling.empty()) text += fmt::format(",{}", column.name);
    text += '\n';
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (!results[i]) continue;
        text += fmt::format("{},{},{},{},{}", description(plan, i), sweep.seed, results[i]->rtl_hash,
                            name_of(results[i]->status), csv_quoted(results[i]->reason));
        for (const std::string& name : sweep.metrics) text += "," + metric_cell(*results[i], name);
        for (const ScalingColumn& column : ScalingColumns)
            if (!scaling.empty())
                text += scaling.contains(i) ? fmt::format(",{}", scaling.at(i).*column.of) : ",";
        text += '\n';
    }
    return text;
}

std::string to_csv(const Plan& plan) {
    std::string text = heading(plan) + ",reason\n";
    for (std::size_t i = 0; i < plan.points.size(); ++i)
        text += fmt::format("{},{}\n", description(plan, i), csv_quoted(plan.points[i].impossible));
    return text;
}

std::string to_json(const Sweep& sweep, const Plan& plan, const Results& results) {
    Json json;
    json["versions"] = {{"trnsim", TRNSIM_VERSION},
                        {"verilator", verilator_of(results)},
                        {"systemc", std::string(sc_core::sc_release())}};
    json["sweep"] = {{"name", sweep.name},
                     {"base", sweep.base},
                     {"server", sweep.server},
                     {"fidelity", sweep.fidelity},
                     {"seed", sweep.seed},
                     {"rounding", sweep.rounding},
                     {"perturb", sweep.perturb},
                     {"check", sweep.check},
                     {"points", plan.points.size()},
                     {"filtered", plan.filtered},
                     {"one_clock", has_one_clock(plan)},
                     {"yaml", text_of(sweep.file)}};
    json["variables"] = Json::array();
    for (const Variable& variable : plan.variables)
        json["variables"].push_back({{"name", variable.name},
                                     {"unit", variable.unit},
                                     {"doc", variable.doc},
                                     {"source", variable.source},
                                     {"base", variable.base}});
    json["metrics"] = Json::array();
    const std::vector<std::string> metrics = metrics_of_page(sweep, plan);
    for (const std::string& name : metrics) {
        const Metric& metric = find_metric(name);
        json["metrics"].push_back({{"name", metric.name},
                                   {"unit", metric.unit},
                                   {"doc", metric.doc},
                                   {"better", metric.better},
                                   {"source", metric.is_estimate() ? "estimate" : "simulation"}});
    }
    const std::map<std::size_t, Scaling> scaling = scaling_of(plan, results);
    for (const ScalingColumn& column : ScalingColumns) {
        if (!scaling.empty())
            json["metrics"].push_back({{"name", column.name},
                                       {"unit", ""},
                                       {"doc", column.doc},
                                       {"better", 1},
                                       {"source", "sweep"}});
    }
    json["configurations"] = Json::array();
    json["points"] = Json::array();
    std::map<std::string, std::size_t> configurations;
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (!results[i]) continue;
        const std::string yaml = config::show(plan.points[i].config);
        const auto [at, is_new] = configurations.try_emplace(yaml, configurations.size());
        if (is_new) json["configurations"].push_back(yaml);
        Json point = point_json(sweep, plan, i, *results[i], metrics);
        for (const ScalingColumn& column : ScalingColumns)
            if (scaling.contains(i)) point["metrics"][std::string(column.name)] = scaling.at(i).*column.of;
        point["configuration"] = at->second;
        json["points"].push_back(std::move(point));
    }
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace trnsim::sweep
