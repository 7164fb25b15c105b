#include <fmt/format.h>

#include "tools/regress/escape.hpp"
#include "tools/regress/reports.hpp"

namespace trnsim::regress {
namespace {

constexpr std::string_view Head = R"(<meta charset="utf-8">
<style>
body { font: 14px/1.4 system-ui, sans-serif; margin: 2em; color: #1b1f24; background: #fff }
table { border-collapse: collapse; margin: 1em 0 }
th, td { padding: .25em .7em; text-align: left; border-bottom: 1px solid #d8dee4; vertical-align: top }
th { cursor: pointer; background: #f3f5f7 }
td.n { text-align: right; font-variant-numeric: tabular-nums }
.pass { color: #1a7f37 } .fail { color: #cf222e; font-weight: 600 }
pre { background: #f3f5f7; padding: .7em; overflow-x: auto }
.bar { display: inline-block; width: 12em; height: .8em; background: #eaecef }
.bar i { display: block; height: 100%; background: #1a7f37 }
</style>
)";

constexpr std::string_view Script = R"(<script>
const table = document.getElementById("tests"), body = table.tBodies[0];
document.getElementById("find").addEventListener("input", event => {
  const words = event.target.value.toLowerCase().split(/\s+/);
  for (const row of body.rows)
    row.hidden = !words.every(word => row.textContent.toLowerCase().includes(word));
});
[...table.tHead.rows[0].cells].forEach((cell, column) => {
  let direction = 1;
  cell.addEventListener("click", () => {
    const key = row => row.cells[column].dataset.value ?? row.cells[column].textContent;
    const order = (x, y) => x !== "" && y !== "" && !isNaN(x) && !isNaN(y) ? x - y : x.localeCompare(y);
    const rows = [...body.rows].sort((x, y) => direction * order(key(x), key(y)));
    direction = -direction;
    body.append(...rows);
  });
});
</script>
)";

std::string status_cell(const Result& result) {
    return fmt::format("<td class=\"{}\">{}</td>", result.failed() ? "fail" : "pass", name_of(result.status));
}

std::string failure(const Case& one, const Result& result) {
    std::string text = fmt::format("<h3>{}</h3>\n<p class=\"fail\">{}: {}</p>\n<p>{}:{}:{}</p>\n",
                                   escape(one.id), name_of(result.status), escape(result.message),
                                   escape(one.place.file), one.place.line, one.place.column);
    if (!result.detail.empty()) text += fmt::format("<pre>{}</pre>\n", escape(result.detail));
    if (!result.rerun) return text;
    const Rerun& rerun = *result.rerun;
    text += fmt::format("<p>Run again alone: {}. <a href=\"{}\">log</a>",
                        rerun.same ? "the same" : escape(rerun.said), escape(rerun.log));
    if (!rerun.wave.empty())
        text += fmt::format(", <a href=\"{}\">waveform</a> of cycles {} to {}", escape(rerun.wave),
                            rerun.first_cycle, rerun.last_cycle);
    return text + "</p>\n";
}

std::string number(std::uint64_t value) {
    return value == 0 ? "<td class=\"n\"></td>" : fmt::format("<td class=\"n\">{}</td>", value);
}

std::string change(const Result& result) {
    if (!result.baseline) return "<td class=\"n\"></td>";
    const double share =
        100 * (static_cast<double>(result.cycles) / static_cast<double>(*result.baseline) - 1);
    return fmt::format("<td class=\"n\">{:+.2f}</td>", share);
}

std::string row(const Case& one, const Result& result) {
    return fmt::format("<tr>{}<td>{}</td>{}{}<td class=\"n\">{:.2f}</td><td>{}</td></tr>\n",
                       status_cell(result), escape(one.id), number(result.cycles), change(result),
                       result.wall_seconds,
                       escape(one.expect.empty() ? result.message : "expected: " + one.expect));
}

std::string coverage_part(const coverage::Report& report, const std::string& wrong) {
    std::string text = fmt::format("<h2>Functional coverage: {:.1f} %</h2>\n", report.percent());
    if (!wrong.empty()) text += fmt::format("<p class=\"fail\">{}</p>\n", escape(wrong));
    text +=
        "<table>\n<thead><tr><th>group"
        "</th><th>bins</th><th>hit</th><th>%</th><th></th></tr></thead>\n";
    for (const coverage::GroupReport& group : report.groups) {
        const double percent =
            group.bins == 0 ? 100 : 100.0 * static_cast<double>(group.hit) / static_cast<double>(group.bins);
        text += fmt::format(
            "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">"
            "{:.1f}</td><td><span class=\"bar\"><i style=\"width:{:.1f}%\"></i></span>",
            escape(group.name), group.bins, group.hit, percent, percent);
        if (!group.missing.empty()) {
            text += "<details><summary>missing</summary>";
            for (const std::string& bin : group.missing) text += escape(bin) + "<br>";
            text += "</details>";
        }
        text += "</td></tr>\n";
    }
    return text + "</table>\n";
}

}  // namespace

std::string to_page(const List& list, const Summary& summary) {
    std::string page =
        fmt::format("<!doctype html>\n<html lang=\"en\">\n<title>Regression {}</title>\n", escape(list.name));
    page += Head;
    page += fmt::format(
        "<h1>Regression {}</h1>\n<p>{} tests in {:.1f} s, <span class=\"{}\">{} failed"
        "</span>; trnsim {}{}</p>\n",
        escape(list.name), list.cases.size(), summary.seconds, summary.failed() == 0 ? "pass" : "fail",
        summary.failed(), TRNSIM_VERSION, summary.complete ? "" : "; stopped before the end");
    if (summary.failed() != 0) page += "<h2>Failures</h2>\n";
    for (std::size_t i = 0; i < list.cases.size(); ++i)
        if (summary.results[i].failed()) page += failure(list.cases[i], summary.results[i]);
    if (summary.coverage) page += coverage_part(*summary.coverage, summary.coverage_failure());
    page +=
        "<h2>Tests</h2>\n<p><input id=\"find\" placeholder=\"words to find\" size=\"40\"></p>\n"
        "<table id=\"tests\">\n<thead><tr><th>status</th><th>test</th><th>cycles</th><th>against "
        "baseline, %</th><th>s</th><th>message</th></tr></thead>\n<tbody>\n";
    for (std::size_t i = 0; i < list.cases.size(); ++i) page += row(list.cases[i], summary.results[i]);
    page += "</tbody>\n</table>\n";
    return page + std::string(Script) + "</html>\n";
}

}  // namespace trnsim::regress
