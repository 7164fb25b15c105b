// trnsim sweep
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include "arch/config/nearest.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/signals.hpp"
#include "tools/command/progress_line.hpp"
#include "tools/sweep/analysis_text.hpp"
#include "tools/sweep/core_set.hpp"
#include "tools/sweep/metrics.hpp"
#include "tools/sweep/run_sweep.hpp"

namespace trnsim::cli {
namespace {

struct SweepArguments {
    std::string file, folder, executor = "local";
    std::optional<std::size_t> jobs;
    bool resume = false, plan = false;
    std::string pareto, importance;
    std::optional<std::size_t> task, tasks;  // of an array job
};

std::string format_progress(const sweep::SweepProgress& progress) {
    if (progress.pending == 0)
        return fmt::format("{} of {} cores built", progress.cores_built, progress.cores);
    std::string text = fmt::format("{} of {} points", progress.completed, progress.pending);
    if (progress.failed != 0) text += fmt::format(", {} not ok", progress.failed);
    if (progress.completed != 0 && progress.seconds > 0) {
        const double rate = static_cast<double>(progress.completed) / progress.seconds;
        const auto left = static_cast<double>(progress.pending - progress.completed);
        text += fmt::format(", {:.2f} points a second, {:.0f} s left", rate, left / rate);
    }
    return text;
}

std::string line(std::string_view name, const std::string& value) {
    return fmt::format("  {:<18} {}\n", name, value);
}

std::string summary(const sweep::Sweep& sweep, const sweep::Plan& plan, const sweep::SweepSummary& summary,
                    const std::string& folder) {
    using enum sweep::Status;
    const auto count = [&](sweep::Status status) { return summary.count[static_cast<std::size_t>(status)]; };
    std::string text = fmt::format("{}: {} points\n", sweep.name, summary.points);
    text += line("results", fmt::format("{} ok, {} mismatch, {} failed, {} timeout", count(Ok),
                                        count(Mismatch), count(Failed), count(Timeout)));
    if (summary.kept != 0) text += line("kept", fmt::format("{} of an earlier run", summary.kept));
    for (const auto& [change, points] : summary.outdated)
        text += line("ran again", fmt::format("{} of an earlier run: {}", points, change));
    if (summary.filtered != 0) text += line("filtered", fmt::format("{} combinations", summary.filtered));
    text += line("cores", fmt::format("{}, {} of them built in {:.1f} s", summary.cores, summary.cores_built,
                                      summary.build_seconds));
    for (const std::string& choice : summary.core_choices) text += line("core", choice);
    text += line("run", fmt::format("{:.1f} s, {:.1f} s of processor time in points", summary.run_seconds,
                                    summary.cpu_seconds));
    text += sweep::best_points(sweep, plan, summary.results);
    for (const char* file : {"results.csv", "results.json", "report.html"})
        text += line("wrote", fmt::format("{}/{}", folder, file));
    return text;
}

// Lists the first failures, each with its reason.
void list_failures(std::ostream& out, const sweep::Plan& plan, const sweep::Results& results) {
    constexpr std::size_t Most = 10;
    std::size_t count = 0;
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (!results[i] || results[i]->status == sweep::Status::Ok || ++count > Most) continue;
        out << fmt::format("point {} ({} {}): {}: {}\n", i, plan.points[i].kernel,
                           plan.points[i].argument_text, sweep::name_of(results[i]->status),
                           results[i]->reason);
    }
    if (count > Most) out << fmt::format("{} further points are not ok\n", count - Most);
}

const sweep::Metric& metric_called(const char* option, const std::string& name) {
    const std::vector<std::string> names = sweep::metric_names();
    if (std::ranges::find(names, name) == names.end())
        throw std::runtime_error(fmt::format("{} {}: expected a metric, such as '{}'", option, name,
                                             config::nearest(name, names)));
    return sweep::find_metric(name);
}

// Returns the two metrics of --pareto.
std::pair<const sweep::Metric*, const sweep::Metric*> metrics_of(const std::string& pareto) {
    const std::size_t comma = pareto.find(',');
    if (comma == std::string::npos || pareto.find(',', comma + 1) != std::string::npos)
        throw std::runtime_error(
            fmt::format("--pareto: found '{}', expected two metrics, such as time,area", pareto));
    const sweep::Metric& one = metric_called("--pareto", pareto.substr(0, comma));
    const sweep::Metric& other = metric_called("--pareto", pareto.substr(comma + 1));
    if (one.name == other.name)
        throw std::runtime_error(fmt::format("--pareto: found {} twice, expected two metrics", one.name));
    return {&one, &other};
}

// Checks the options of the analysis before anything runs.
void check_analysis(const SweepArguments& arguments) {
    if (!arguments.pareto.empty()) metrics_of(arguments.pareto);
    if (!arguments.importance.empty()) metric_called("--importance", arguments.importance);
}

std::string analysis(const SweepArguments& arguments, const sweep::Plan& plan,
                     const sweep::Results& results) {
    std::string text;
    if (!arguments.pareto.empty()) {
        const auto [one, other] = metrics_of(arguments.pareto);
        text += sweep::pareto_text(plan, results, *one, *other);
    }
    if (!arguments.importance.empty())
        text += sweep::importance_text(plan, results, sweep::find_metric(arguments.importance));
    return text;
}

// Lists the points that cannot be, a line for each cause. Returns whether there are any.
bool list_impossible(std::ostream& out, const sweep::Plan& plan) {
    constexpr std::size_t Most = 10;
    const auto groups = sweep::impossible_points(plan);
    std::size_t points = 0, shown = 0;
    for (const sweep::Impossible& group : groups) {
        points += group.points;
        if (++shown <= Most) out << fmt::format("trnsim: {}\n", group.text);
    }
    if (groups.size() > Most) out << fmt::format("trnsim: {} further causes\n", groups.size() - Most);
    if (points != 0) out << fmt::format("trnsim: {} of {} points cannot be\n", points, plan.points.size());
    return points != 0;
}

std::unique_ptr<sweep::Executor> make_executor(const SweepArguments& arguments, std::size_t jobs) {
    constexpr std::size_t DefaultTasks = 16;
    if (arguments.executor == "local") return sweep::local_executor(jobs);
    if (arguments.executor == "slurm") return sweep::slurm_executor(arguments.jobs.value_or(DefaultTasks));
    throw std::runtime_error(fmt::format("--executor {}: expected local or slurm", arguments.executor));
}

int run(const SweepArguments& arguments, const Environment& environment) {
    const std::size_t jobs =
        arguments.jobs.value_or(std::max<std::size_t>(std::thread::hardware_concurrency(), 1));
    if (jobs == 0) throw std::runtime_error("--jobs 0: expected at least 1");
    check_analysis(arguments);
    const sweep::Sweep sweep = sweep::read_sweep(arguments.file);
    const sweep::Plan plan = sweep::make_plan(sweep, arguments.plan);
    if (arguments.plan) {
        environment.out << sweep::to_csv(plan);
        return list_impossible(environment.err, plan) ? BadInput : Success;
    }
    if (arguments.folder.empty()) throw std::runtime_error("-o: expected a folder for the results");
    if (arguments.task) {
        sweep::run_task(sweep, plan, arguments.folder, *arguments.task, arguments.tasks.value_or(1));
        return Success;
    }
    const auto executor = make_executor(arguments, jobs);
    list_impossible(environment.err, plan);
    sweep::SweepSummary result;
    {
        const InterruptGuard guard;
        CoreAnnouncement announcement(environment);
        ProgressLine progress_line(environment.err);
        result =
            sweep::run_sweep(sweep, plan, {arguments.folder, jobs, arguments.resume}, *executor,
                             [&](const sweep::SweepProgress& progress) {
                                 announcement({progress.cores_built, progress.cores, progress.core_seconds,
                                               sweep::CoreSet::logs(arguments.folder)});
                                 if (environment.shows_progress())
                                     progress_line.show(format_progress(progress));
                                 return !InterruptGuard::interrupted();
                             });
    }
    environment.summary() << summary(sweep, plan, result, arguments.folder)
                          << sweep::scaling_text(plan, result.results);
    environment.out << analysis(arguments, plan, result.results);
    list_failures(environment.err, plan, result.results);
    if (!result.complete)
        environment.err << fmt::format("trnsim: interrupted; --resume goes on with what is missing\n");
    return result.complete && result.count[0] == result.points ? Success : SimulationError;
}

}  // namespace

void declare_sweep(Subcommand app, const Environment& environment, int& status) {
    auto arguments = std::make_shared<SweepArguments>();
    app.add_option("sweep", arguments->file, "A sweep file, .yaml").required();
    app.add_option("-o,--output", arguments->folder, "Folder for the results");
    app.add_option(
        "--jobs", arguments->jobs,
        "Points at a time, by default one a processor; with slurm tasks of the array, by default 16");
    app.add_flag("--resume", arguments->resume,
                 "Go on with a sweep in the folder: run what has no result yet");
    app.add_option("--executor", arguments->executor, "Where points run: local or slurm").show_default();
    app.add_option("--pareto", arguments->pareto,
                   "Two metrics, such as time,area: prints the points of each kernel and shape that no other "
                   "beats in both");
    app.add_option("--importance", arguments->importance,
                   "A metric, such as time: prints how much of its variance each axis explains");
    app.add_flag("--plan", arguments->plan, "Print the points, name those that cannot be, and run nothing");
    app.add_option("--task", arguments->task, "Run the share of this task of an array job").hidden();
    app.add_option("--tasks", arguments->tasks, "Number of tasks of the array job").hidden();
    app.callback([arguments, &environment, &status] { status = run(*arguments, environment); });
}

}  // namespace trnsim::cli
