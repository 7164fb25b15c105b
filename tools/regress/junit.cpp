#include <fmt/format.h>

#include "tools/regress/escape.hpp"
#include "tools/regress/reports.hpp"

namespace trnsim::regress {
namespace {

// JUnit distinguishes failed checks from runs that did not get to a check.
bool is_error(Status status) {
    return status == Status::Error || status == Status::Timeout || status == Status::Crash;
}

}  // namespace

std::string to_junit(const List& list, const Summary& summary) {
    std::size_t failures = 0, errors = 0, skips = 0;
    std::string cases;
    for (std::size_t i = 0; i < list.cases.size(); ++i) {
        const Case& one = list.cases[i];
        const CaseResult& result = summary.results[i];
        cases += fmt::format("  <testcase classname=\"{}.{}\" name=\"{}\" time=\"{:.3f}\"", escape(list.name),
                             escape(one.subject), escape(one.id), result.wall_seconds);
        if (!result.failed()) {
            const bool skipped = result.status == Status::NotRun;
            skips += skipped;
            cases += skipped ? "><skipped message=\"not run\"/></testcase>\n" : "/>\n";
            continue;
        }
        const char* element = is_error(result.status) ? "error" : "failure";
        (is_error(result.status) ? errors : failures)++;
        cases += fmt::format(">\n    <{} type=\"{}\" message=\"{}\">{}</{}>\n  </testcase>\n", element,
                             name_of(result.status), escape(result.message), escape(result.detail), element);
    }
    std::size_t tests = list.cases.size();
    if (summary.coverage) {
        ++tests;
        const std::string wrong = summary.coverage_failure();
        cases += fmt::format("  <testcase classname=\"{}\" name=\"functional coverage\" time=\"0\"",
                             escape(list.name));
        if (wrong.empty()) {
            cases += "/>\n";
        } else {
            ++failures;
            cases +=
                fmt::format(">\n    <failure type=\"coverage\" message=\"{}\">{}</failure>\n  </testcase>\n",
                            escape(wrong), escape(coverage::to_text(*summary.coverage, ~std::size_t{0})));
        }
    }
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"{}\" tests=\"{}\" "
        "failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\">\n{}</testsuite>\n</testsuites>\n",
        escape(list.name), tests, failures, errors, skips, summary.seconds, cases);
}

}  // namespace trnsim::regress
