#include "tools/regress/reports.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

namespace trnsim::regress {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t ShownMissing = 5;  // missing bins shown for each group

Json case_json(const Case& one, const CaseResult& result) {
    Json json{{"id", one.id},
              {one.random ? "program" : "kernel", one.subject},
              {"own", one.own ? one.own->file.string() : ""},
              {"arguments", one.arguments},
              {"config", one.config},
              {"seed", one.seed},
              {"stochastic_rounding", one.stochastic},
              {"perturb", one.perturb ? Json(*one.perturb) : Json()},
              {"tags", one.tags},
              {"expect", one.expect.empty() ? "pass" : one.expect},
              {"status", name_of(result.status)},
              {"message", result.message},
              {"cycles", result.cycles},
              {"engines", result.engines},
              {"commands", result.commands},
              {"baseline", result.baseline ? Json(*result.baseline) : Json()},
              {"rtl_hash", result.rtl_hash},
              {"verilator", result.verilator},
              {"wall_seconds", result.wall_seconds},
              {"cpu_seconds", result.cpu_seconds}};
    if (result.rerun) {
        json["rerun"] = {{"same", result.rerun->same},
                         {"said", result.rerun->said},
                         {"log", result.rerun->log},
                         {"wave", result.rerun->wave},
                         {"trace", result.rerun->trace},
                         {"first_cycle", result.rerun->first_cycle},
                         {"last_cycle", result.rerun->last_cycle},
                         {"place", result.place},
                         {"view", result.view},
                         {"lane", result.element ? Json(result.element->lane) : Json()},
                         {"reproduce", result.rerun->reproduce},
                         {"show", result.rerun->show}};
    }
    return json;
}

Json coverage_json(const coverage::Report& report, double minimum) {
    Json groups = Json::array();
    for (const coverage::GroupReport& group : report.groups)
        groups.push_back(
            {{"name", group.name}, {"bins", group.bins}, {"hit", group.hit}, {"missing", group.missing}});
    return {{"percent", report.percent()},
            {"minimum", minimum},
            {"bins", report.bins},
            {"hit", report.hit},
            {"groups", groups}};
}

}  // namespace

std::string to_json(const List& list, const Summary& summary) {
    Json json{{"name", list.name},          {"list", list.file.string()}, {"trnsim", TRNSIM_VERSION},
              {"tests", list.cases.size()}, {"failed", summary.failed()}, {"seconds", summary.seconds},
              {"results", Json::array()}};
    for (std::size_t i = 0; i < list.cases.size(); ++i)
        json["results"].push_back(case_json(list.cases[i], summary.results[i]));
    if (summary.coverage) json["coverage"] = coverage_json(*summary.coverage, summary.coverage_minimum);
    for (const auto& [name, config] : list.configs) json["configurations"][name] = config::show(config);
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

namespace {

std::string indented(const std::string& lines) {
    std::string text;
    for (std::size_t at = 0, end = 0; (end = lines.find('\n', at)) != std::string::npos; at = end + 1)
        text += "    " + lines.substr(at, end + 1 - at);
    return text;
}

}  // namespace

std::string to_text(const List& list, const Summary& summary) {
    std::string text;
    std::array<std::size_t, StatusCount> count{};
    double busy = 0;
    for (std::size_t i = 0; i < list.cases.size(); ++i) {
        const CaseResult& result = summary.results[i];
        ++count[static_cast<std::size_t>(result.status)];
        busy += result.cpu_seconds;
        if (!result.failed()) continue;
        text += fmt::format("{}: {}: {}\n", list.cases[i].id, name_of(result.status), result.message);
        if (result.status == Status::Cycles) text += indented(result.detail);
        for (const std::string& command : result.commands) text += fmt::format("    {}\n", command);
        if (!result.rerun) continue;
        text += fmt::format("    again alone: {}, see {}\n",
                            result.rerun->same ? "the same" : result.rerun->said, result.rerun->log);
        for (const std::string& command : {result.rerun->reproduce, result.rerun->show})
            if (!command.empty()) text += fmt::format("    {}\n", command);
    }
    for (const std::string& choice : summary.core_choices) text += fmt::format("core of {}\n", choice);
    if (summary.coverage) text += coverage::to_text(*summary.coverage, ShownMissing);
    if (const std::string wrong = summary.coverage_failure(); !wrong.empty())
        text += fmt::format("functional coverage: {}\n", wrong);
    text += fmt::format("{}: {} tests in {:.1f} s ({:.1f} s of processor time), {} passed, {} failed",
                        list.name, list.cases.size(), summary.seconds, busy, count[0], summary.failed());
    std::string kinds;
    for (std::size_t status = 1; status < count.size(); ++status) {
        if (count[status] != 0)
            kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", count[status],
                                 name_of(static_cast<Status>(status)));
    }
    text += kinds.empty() ? "" : " (" + kinds + ")";
    if (summary.kept != 0) text += fmt::format(", {} kept of an earlier run", summary.kept);
    return text + "\n";
}

}  // namespace trnsim::regress
