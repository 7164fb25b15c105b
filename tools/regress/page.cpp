#include <fmt/format.h>

#include <array>
#include <utility>

#include "page/RegressionPage.hpp"
#include "tools/regress/escape.hpp"
#include "tools/regress/reports.hpp"

namespace trnsim::regress {
namespace {

// Returns links to the files kept of a failed test; empty if there are none.
std::string links(const CaseResult& result) {
    if (!result.rerun) return "";
    const auto link = [](const std::string& file, std::string_view name) {
        return file.empty() ? "" : fmt::format("<a href=\"{}\">{}</a> ", escape(file), name);
    };
    return link(result.rerun->log, "log") + link(result.rerun->wave, "waveform") +
           link(result.rerun->trace, "trace");
}

std::string failure(std::size_t index, const Case& one, const CaseResult& result) {
    std::string text =
        fmt::format("<h3 id=\"failure-{}\">{}</h3>\n<p class=\"bad\">{}: {}</p>\n<p>{}:{}:{}</p>\n", index,
                    escape(one.id), name_of(result.status), escape(result.message), escape(one.place.file),
                    one.place.line, one.place.column);
    if (!result.detail.empty()) text += fmt::format("<pre tabindex=\"0\">{}</pre>\n", escape(result.detail));
    for (const std::string& command : result.commands)
        text += fmt::format("<pre class=\"command\" tabindex=\"0\">{}</pre>\n", escape(command));
    if (!result.rerun) return text;
    const Rerun& rerun = *result.rerun;
    text += fmt::format("<p>Run again alone: {}. {}", rerun.same ? "the same" : escape(rerun.said),
                        links(result));
    if (!rerun.wave.empty())
        text += fmt::format("The waveform has the cycles {} to {}.", rerun.first_cycle, rerun.last_cycle);
    text += "</p>\n";
    for (const auto& [what, line] :
         {std::pair{"Run the same again", &rerun.reproduce}, std::pair{"Look at it", &rerun.show}}) {
        if (!line->empty())
            text += fmt::format("<p>{}:</p>\n<pre class=\"command\" tabindex=\"0\">{}</pre>\n", what,
                                escape(*line));
    }
    return text;
}

std::string number_cell(std::string_view unit, const std::string& text) {
    return fmt::format("<td class=\"number\" data-unit=\" {}\">{}</td>", unit, text);
}

std::string change(const CaseResult& result) {
    if (!result.baseline) return "";
    return fmt::format(
        "{:+.2f}", 100 * (static_cast<double>(result.cycles) / static_cast<double>(*result.baseline) - 1));
}

std::string row(std::size_t index, const Case& one, const CaseResult& result) {
    const std::string name = result.failed()
                                 ? fmt::format("<a href=\"#failure-{}\">{}</a>", index, escape(one.id))
                                 : escape(one.id);
    return fmt::format(
        "<tr data-state=\"{0}\"><td class=\"{1}\">{0}</td><td class=\"name\">{2}</td>{3}{4}{5}<td "
        "class=\"links\">{6}</td><td class=\"message\">{7}</td></tr>\n",
        name_of(result.status), result.failed() ? "bad" : "good", name,
        number_cell("cycles", result.cycles == 0 ? "" : fmt::format("{}", result.cycles)),
        number_cell("% against baseline", change(result)),
        number_cell("s", fmt::format("{:.2f}", result.wall_seconds)), links(result),
        escape(one.expect.empty() || result.failed() ? result.message : "expected: " + one.expect));
}

// Returns the states of the tests as choices, with "all" first.
std::string state_choice(const Summary& summary) {
    std::array<std::size_t, StatusCount> count{};
    for (const CaseResult& result : summary.results) ++count[static_cast<std::size_t>(result.status)];
    std::string text;
    const auto add = [&text](std::string_view state, std::size_t tests) {
        text += fmt::format("<label><input type=\"radio\" name=\"state\" value=\"{0}\"{1}>{0} {2}</label>\n",
                            state, text.empty() ? " checked" : "", tests);
    };
    add("all", summary.results.size());
    add("failed", summary.failed());
    for (std::size_t status = 0; status < count.size(); ++status)
        if (count[status] != 0) add(name_of(static_cast<Status>(status)), count[status]);
    return text;
}

std::string coverage_part(const coverage::Report& report, const std::string& wrong) {
    std::string text = fmt::format("<h2>Functional coverage: {:.1f} %</h2>\n", report.percent());
    if (!wrong.empty()) text += fmt::format("<p class=\"bad\">{}</p>\n", escape(wrong));
    text +=
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Functional coverage\"><table "
        "id=\"coverage\">\n<thead><tr><th><span>group</span></th><th><span>bins</span></th><th><span>hit"
        "</span></th><th><span>%</span></th><th></th></tr></thead>\n";
    for (const coverage::GroupReport& group : report.groups) {
        const double percent =
            group.bins == 0 ? 100 : 100.0 * static_cast<double>(group.hit) / static_cast<double>(group.bins);
        text += fmt::format(
            "<tr><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">"
            "{:.1f}</td><td><span class=\"bar\"><i style=\"width:{:.1f}%\"></i></span>",
            escape(group.name), group.bins, group.hit, percent, percent);
        if (!group.missing.empty()) {
            text += "<details><summary>missing</summary>";
            for (const std::string& bin : group.missing) text += escape(bin) + "<br>";
            text += "</details>";
        }
        text += "</td></tr>\n";
    }
    return text + "</table></div>\n";
}

}  // namespace

std::string to_page(const List& list, const Summary& summary) {
    std::string body = fmt::format(
        "<h1>Regression {}</h1>\n<p>{} tests in {:.1f} s, <span class=\"{}\">{} failed</span>; trnsim {}{}"
        "</p>\n",
        escape(list.name), list.cases.size(), summary.seconds, summary.failed() == 0 ? "good" : "bad",
        summary.failed(), TRNSIM_VERSION, summary.complete ? "" : "; stopped before the end");
    if (summary.failed() != 0) body += "<h2>Failures</h2>\n";
    for (std::size_t i = 0; i < list.cases.size(); ++i)
        if (summary.results[i].failed()) body += failure(i, list.cases[i], summary.results[i]);
    if (summary.coverage) body += coverage_part(*summary.coverage, summary.coverage_failure());
    body += fmt::format(
        "<h2>Tests</h2>\n<form id=\"filter\">\n<fieldset aria-label=\"state\">\n{}</fieldset>\n"
        "<input id=\"find\" type=\"search\" placeholder=\"words to find\" aria-label=\"words to find\">\n"
        "<output id=\"count\" aria-live=\"polite\"></output>\n</form>\n",
        state_choice(summary));
    body +=
        "<table id=\"tests\">\n<thead><tr><th>state</th><th>test</th><th>cycles</th><th>against baseline, "
        "%</th><th>s</th><th>kept</th><th>message</th></tr></thead>\n<tbody>\n";
    for (std::size_t i = 0; i < list.cases.size(); ++i) body += row(i, list.cases[i], summary.results[i]);
    body += "</tbody>\n</table>\n";
    std::string page(RegressionPage);
    for (const auto& [mark, text] :
         {std::pair{"<!--NAME-->", escape(list.name)}, std::pair{"<!--BODY-->", body}})
        page.replace(page.find(mark), std::string_view(mark).size(), text);
    return page;
}

}  // namespace trnsim::regress
