#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "page/HistoryPage.hpp"
#include "tools/regress/baseline.hpp"
#include "tools/regress/escape.hpp"
#include "tools/regress/history.hpp"

namespace trnsim::regress {
namespace {

constexpr std::size_t ShownRuns = 20;  // columns of the table of tests

std::string label_of(const HistoryEntry& entry) {
    return entry.commit.empty() ? entry.time : entry.commit;
}

std::string change_cell(double change) {
    const bool large = std::abs(change) > MaxChange;
    return fmt::format("<td class=\"number{}\">{:+.2f}</td>",
                       !large       ? ""
                       : change > 0 ? " bad"
                                    : " good",
                       100 * change);
}

// A line of the cycles over all runs, with its ends labelled.
std::string chart(const std::vector<double>& relative) {
    constexpr double Width = 900, Height = 160, Left = 60, Right = 20, Top = 15, Bottom = 25;
    if (relative.size() < 2) return "";
    const auto [least, most] = std::ranges::minmax(relative);
    const double room = std::max((most - least) * 0.1, 0.005), low = least - room, high = most + room;
    const auto x = [&](std::size_t run) {
        return Left +
               (Width - Left - Right) * static_cast<double>(run) / static_cast<double>(relative.size() - 1);
    };
    const auto y = [&](double value) {
        return Top + (Height - Top - Bottom) * (high - value) / (high - low);
    };
    std::string points, dots;
    for (std::size_t run = 0; run < relative.size(); ++run) {
        points += fmt::format("{:.1f},{:.1f} ", x(run), y(relative[run]));
        dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"/>", x(run), y(relative[run]));
    }
    std::string scale;
    for (const double value : {least, most})
        scale += fmt::format("<text x=\"{:.0f}\" y=\"{:.1f}\" text-anchor=\"end\">{:.3f}</text>", Left - 8,
                             y(value) + 4, value);
    return fmt::format(
        "<figure><svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"cycles of all tests relative to the "
        "first run\"><polyline points=\"{}\"/>{}{}</svg><figcaption class=\"note\">Cycles of all tests "
        "relative to the first run, geometric mean, oldest run on the left.</figcaption></figure>\n",
        Width, Height, points, dots, scale);
}

// Failures of a run that the one before did not have.
std::size_t new_failures(const History& history, std::size_t run) {
    std::size_t count = 0;
    for (const auto& [id, status] : history[run].failures)
        count += run == 0 || !history[run - 1].failures.contains(id);
    return count;
}

std::string runs_table(const History& history, const std::vector<double>& relative) {
    std::string text =
        "<h2>Runs</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Runs\"><table "
        "id=\"runs\">\n<thead><tr><th>commit</th><th>time, UTC</th><th>tests</th><th>failed</th>"
        "<th>of these new</th><th>cycles, % against the run before</th><th>against the first</th><th>s</th>"
        "</tr></thead>\n<tbody>\n";
    for (std::size_t run = history.size(); run-- > 0;) {
        const HistoryEntry& entry = history[run];
        const auto count = [](std::size_t number, const char* kind) {
            return fmt::format("<td class=\"number{}\">{}</td>", number == 0 ? "" : kind, number);
        };
        text += fmt::format("<tr><td>{}</td><td>{}</td>{}{}{}{}{}<td class=\"number\">{:.1f}</td></tr>\n",
                            escape(label_of(entry)), escape(entry.time), count(entry.tests, ""),
                            count(entry.failed, " bad"), count(new_failures(history, run), " bad"),
                            change_cell(run == 0 ? 0 : relative[run] / relative[run - 1] - 1),
                            change_cell(relative[run] - 1), entry.seconds);
    }
    return text + "</tbody>\n</table></div>\n";
}

// Returns the tests that fail in some run, or whose cycles change by more than a baseline allows.
std::set<std::string> changing_tests(const History& history) {
    std::set<std::string> tests;
    for (std::size_t run = 0; run < history.size(); ++run) {
        for (const auto& [id, status] : history[run].failures) tests.insert(id);
        if (run == 0) continue;
        for (const auto& [id, cycles] : history[run].cycles) {
            const auto before = history[run - 1].cycles.find(id);
            if (before == history[run - 1].cycles.end()) continue;
            const double share = static_cast<double>(cycles) / static_cast<double>(before->second) - 1;
            if (std::abs(share) > MaxChange) tests.insert(id);
        }
    }
    return tests;
}

std::string cell(const History& history, std::size_t run, const std::string& id) {
    const auto cycles = history[run].cycles.find(id);
    if (const auto failure = history[run].failures.find(id); failure != history[run].failures.end())
        return fmt::format("<td class=\"number bad\">{}{}</td>", escape(failure->second),
                           cycles == history[run].cycles.end() ? "" : fmt::format(" {}", cycles->second));
    if (cycles == history[run].cycles.end()) return "<td></td>";
    std::string kind;
    if (run != 0) {
        const auto before = history[run - 1].cycles.find(id);
        if (before != history[run - 1].cycles.end()) {
            const double share =
                static_cast<double>(cycles->second) / static_cast<double>(before->second) - 1;
            if (std::abs(share) > MaxChange) kind = share > 0 ? " bad" : " good";
        }
    }
    return fmt::format("<td class=\"number{}\">{}</td>", kind, cycles->second);
}

std::string tests_table(const History& history) {
    const std::set<std::string> tests = changing_tests(history);
    if (tests.empty()) return "<h2>Tests</h2>\n<p>No test has failed, and none has changed its cycles.</p>\n";
    const std::size_t first = history.size() > ShownRuns ? history.size() - ShownRuns : 0;
    std::string text = fmt::format(
        "<h2>Tests that changed</h2>\n<p class=\"note\">Cycles in the last {} runs, oldest first: more than "
        "in "
        "the run before is red, less is green; changes up to {:g} % are not marked.</p>\n<div "
        "class=\"scroll\" "
        "tabindex=\"0\" role=\"region\" aria-label=\"Tests that changed\"><table id=\"tests\">\n<thead><tr>"
        "<th>test</th>",
        history.size() - first, 100 * MaxChange);
    for (std::size_t run = first; run < history.size(); ++run)
        text += fmt::format("<th>{}</th>", escape(label_of(history[run])));
    text += "</tr></thead>\n<tbody>\n";
    for (const std::string& id : tests) {
        text += fmt::format("<tr><td>{}</td>", escape(id));
        for (std::size_t run = first; run < history.size(); ++run) text += cell(history, run, id);
        text += "</tr>\n";
    }
    return text + "</tbody>\n</table></div>\n";
}

}  // namespace

std::string history_page(const std::string& name, const History& history) {
    const std::vector<double> relative = relative_cycles(history);
    const std::string body = fmt::format("<h1>History of {}</h1>\n<p>{} runs; trnsim {}</p>\n", escape(name),
                                         history.size(), TRNSIM_VERSION) +
                             chart(relative) + runs_table(history, relative) + tests_table(history);
    std::string page(HistoryPage);
    for (const auto& [mark, text] : {std::pair{"<!--NAME-->", escape(name)}, std::pair{"<!--BODY-->", body}})
        page.replace(page.find(mark), std::string_view(mark).size(), text);
    return page;
}

}  // namespace trnsim::regress
