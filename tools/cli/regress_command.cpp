// trnsim regress
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>

#include "base/files/files.hpp"
#include "base/files/roles.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/run_kernel.hpp"
#include "tools/cli/signals.hpp"
#include "tools/command/progress_line.hpp"
#include "tools/command/threads.hpp"
#include "tools/regress/folder.hpp"
#include "tools/regress/history.hpp"
#include "tools/regress/reports.hpp"

namespace trnsim::cli {
namespace {

struct RegressOptions {
    std::string list, folder, junit, plan, history;
    std::vector<std::string> tags, configs;
    std::size_t jobs = std::max(1U, std::thread::hardware_concurrency());
    bool update_baseline = false, coverage = false, resume = false;
    std::string threads = "1";
};

std::string format(const regress::Progress& progress) {
    if (progress.cores_built < progress.cores)
        return fmt::format("{} of {} cores built", progress.cores_built, progress.cores);
    const double rate = progress.seconds > 0 ? static_cast<double>(progress.completed) / progress.seconds : 0;
    std::string text =
        fmt::format("{}{} of {} tests, {} failed, {:.1f} tests/s", progress.reruns ? "again: " : "",
                    progress.completed, progress.total, progress.failed, rate);
    if (rate > 0)
        text +=
            fmt::format(", {:.0f} s left", static_cast<double>(progress.total - progress.completed) / rate);
    return text;
}

void update_baseline(const regress::List& list, const regress::List& all, const regress::Summary& summary,
                     const std::filesystem::path& path, const Environment& environment) {
    const regress::Baseline before = regress::read_baseline(path);
    const std::filesystem::path engines = regress::engines_file(all.file);
    const regress::EngineBaseline engines_before = regress::read_engines(engines);
    regress::Baseline after;
    regress::EngineBaseline engines_after;
    for (const regress::Case& one : all.cases) {
        if (const auto found = before.find(one.id); found != before.end()) after.insert(*found);
        if (const auto found = engines_before.find(one.id); found != engines_before.end())
            engines_after.insert(*found);
    }
    for (std::size_t i = 0; i < list.cases.size(); ++i) {
        const regress::CaseResult& result = summary.results[i];
        if (result.failed() || result.cycles == 0 || list.cases[i].perturb) continue;
        after[list.cases[i].id] = result.cycles;
        engines_after[list.cases[i].id] = result.engines;
    }
    regress::write_baseline(path, after);
    regress::write_engines(engines, engines_after);
    environment.summary() << fmt::format("baseline {}: cycles of {} tests\n", path.string(), after.size());
}

std::string now() {
    return fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::gmtime(std::time(nullptr)));
}

// The files that a regression writes.
struct Outputs {
    explicit Outputs(const RegressOptions& options)
        : results(std::filesystem::path(options.folder) / regress::ResultsFile),
          report(std::filesystem::path(options.folder) / regress::ReportFile),
          junit(options.junit.empty() ? std::filesystem::path(options.folder) / regress::JunitFile
                                      : std::filesystem::path(options.junit)),
          history(options.history),
          history_page(options.history.empty()
                           ? std::filesystem::path()
                           : std::filesystem::path(options.folder) / regress::HistoryFile) {}

    std::vector<std::filesystem::path> all() const {
        std::vector<std::filesystem::path> files{results, report, junit};
        if (!history.empty()) files.insert(files.end(), {history, history_page});
        return files;
    }

    std::filesystem::path results, report, junit, history, history_page;  // the last two may be empty
};

// Refuses outputs that would replace inputs, each other or files that are no results of a regression.
void check_files(const RegressOptions& options, const regress::List& all, const Outputs& outputs) {
    std::set<std::filesystem::path> inputs = regress::files_of(all);
    files::Roles roles;
    roles.add_input("the list", options.list);
    roles.add_inputs("a file of the list", inputs);
    if (!options.plan.empty()) roles.add_input("--plan", options.plan);
    roles.add_input("the baseline", regress::baseline_file(options.list));
    roles.add_input("the baseline by engine", regress::engines_file(options.list));
    roles.add_output("the results", outputs.results);
    if (!options.history.empty()) {
        roles.add_output("--history", outputs.history);
        roles.add_output("the page of the history", outputs.history_page);
    }
    roles.add_output("the report", outputs.report);
    roles.add_output("--junit", outputs.junit);
    inputs.insert(options.list);
    if (!options.plan.empty()) inputs.insert(options.plan);
    std::vector<std::string> names{regress::ResultsFile, regress::ReportFile};
    if (options.junit.empty()) names.emplace_back(regress::JunitFile);
    if (!options.history.empty()) names.emplace_back(regress::HistoryFile);
    regress::check_folder(options.folder, names, inputs);
}

int run(const RegressOptions& options, const Environment& environment) {
    if (options.jobs == 0) throw std::runtime_error("--jobs 0: expected at least 1");
    const unsigned threads = parse_threads(options.threads);
    const regress::List all = regress::read_list(options.list);
    regress::List list = all;
    regress::select(list, options.tags, options.configs);
    const std::filesystem::path folder(options.folder), baseline = regress::baseline_file(options.list);
    std::optional<coverage::Plan> plan;
    std::string plan_text;
    if (options.coverage || !options.plan.empty()) {
        const std::filesystem::path file =
            options.plan.empty() ? list.coverage : std::filesystem::path(options.plan);
        if (file.empty())
            throw std::runtime_error(
                fmt::format("--coverage: {} names no plan, expected --plan", options.list));
        plan = coverage::read_plan(file);
        const auto bytes = files::read(file);
        plan_text.assign(bytes.begin(), bytes.end());
    }
    if (!options.history.empty() && (!options.tags.empty() || !options.configs.empty()))
        throw std::runtime_error("--history: found --tag or --config with it, expected the whole list");
    regress::Baseline cycles;
    regress::EngineBaseline engines;
    if (!options.update_baseline) {
        cycles = regress::read_baseline(baseline);
        engines = regress::read_engines(regress::engines_file(options.list));
    }
    std::error_code failure;
    if (std::filesystem::exists(folder, failure) && !std::filesystem::is_directory(folder, failure))
        throw std::runtime_error(
            fmt::format("{}: cannot be made: it is a file, expected a folder", folder.string()));
    const Outputs outputs(options);
    check_files(options, all, outputs);
    regress::History history;
    if (!options.history.empty()) history = regress::read_history(options.history);
    std::filesystem::create_directories(folder, failure);
    if (failure) {
        throw std::runtime_error(
            fmt::format("{}: cannot be made: {}, expected a folder", folder.string(), failure.message()));
    }
    for (const std::filesystem::path& path : outputs.all()) files::check_writable(path);
    regress::remove_failures(folder);

    const InterruptGuard guard;
    CoreAnnouncement announcement(environment);
    ProgressLine line(environment.err);
    regress::Options settings{.jobs = options.jobs,
                              .folder = folder,
                              .machine = runtime::with_threads(environment.machine, threads),
                              .plan = plan ? &*plan : nullptr,
                              .plan_text = plan_text,
                              .baseline = std::move(cycles),
                              .engines = std::move(engines),
                              .resume = options.resume,
                              .observer = [&](const regress::Progress& progress) {
                                  announcement({progress.cores_built, progress.cores, progress.core_seconds,
                                                sweep::CoreSet::logs(folder)});
                                  if (environment.shows_progress()) line.show(format(progress));
                                  return !InterruptGuard::interrupted();
                              }};
    const bool whole_list = options.tags.empty() && options.configs.empty() && options.plan.empty();
    if (whole_list) settings.coverage_minimum = list.coverage_minimum;
    const regress::Summary summary = regress::run(list, settings);
    line.clear();
    files::write(outputs.results, regress::to_json(list, summary));  // first: it makes the others results
    files::write(outputs.junit, regress::to_junit(list, summary));
    files::write(outputs.report, regress::to_page(list, summary));
    environment.summary() << regress::to_text(list, summary);
    environment.summary() << fmt::format("results in {}: report.html, results.json, {}\n", folder.string(),
                                         outputs.junit.string());
    if (!summary.complete) {
        environment.err << fmt::format(
            "trnsim: interrupted after {} of {} tests; --resume goes on with the others\n", summary.ran(),
            list.cases.size());
        return SimulationError;
    }
    if (!options.history.empty()) {
        regress::add(history, regress::entry_of(list, summary, regress::commit_of(options.list), now()));
        regress::write_history(options.history, history);
        files::write(outputs.history_page, regress::history_page(list.name, history));
        environment.summary() << fmt::format("history of {} runs in {}\n", history.size(),
                                             outputs.history_page.string());
    }
    if (options.update_baseline) {
        update_baseline(list, all, summary, baseline, environment);
    } else if (settings.baseline.empty()) {
        environment.summary() << fmt::format("no baseline {}: cycles were not compared\n", baseline.string());
    }
    return summary.passed() ? Success : SimulationError;
}

}  // namespace

void declare_regress(Subcommand app, const Environment& environment, int& status) {
    auto options = std::make_shared<RegressOptions>();
    options->folder = "out/regress";
    app.add_option("list", options->list, "A regression list, .yaml").required();
    app.add_option("-j,--jobs", options->jobs, "Tests at a time, by default one a processor");
    app.add_option("-o,--output", options->folder, "Folder of the results").show_default();
    app.add_option("--tag", options->tags, "Only tests with one of these tags").delimiter(',').repeated();
    app.add_option("--junit", options->junit, "JUnit XML file; without it FOLDER/junit.xml");
    app.add_option("--config", options->configs, "Only tests on one of these configurations")
        .delimiter(',')
        .repeated();
    app.add_flag("--coverage", options->coverage, "Functional coverage of the plan the list names");
    app.add_option("--plan", options->plan, "Functional coverage of this plan, .yaml");
    app.add_flag("--update-baseline", options->update_baseline,
                 "Write the cycles of tests that pass, whole and by engine and class, to the list's baseline "
                 "instead of comparing them");
    app.add_option("--history", options->history,
                   "File, a line of JSON a run, that this run is added to; FOLDER/history.html shows it over "
                   "commits");
    app.add_flag("--resume", options->resume,
                 "Take the results of tests that an earlier run in the folder has, and run the others");
    declare_threads(app, options->threads);
    app.callback([options, &environment, &status] { status = run(*options, environment); });
}

}  // namespace trnsim::cli
