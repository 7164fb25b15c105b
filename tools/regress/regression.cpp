#include "tools/regress/regression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <system_error>

#include "base/files/files.hpp"
#include "base/jobs/pool.hpp"
#include "tools/regress/commands.hpp"
#include "tools/regress/log.hpp"
#include "tools/regress/run_case.hpp"
#include "tools/regress/store.hpp"

namespace trnsim::regress {
namespace {

using Clock = std::chrono::steady_clock;

// Core cycles recorded before and after the place of a failure. If the first wrong element is known, that is
// its write, and the whole core is recorded, which is slow and large.
struct Range {
    std::uint64_t before, after;
};
constexpr Range Around{4000, 500}, OfElement{1000, 200};

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// Returns the time after which the process is killed; a case normally ends itself when its time is up.
double hard_limit(double time_limit) {
    return 2.5 * time_limit + 10;
}

CaseResult result_of(const jobs::Outcome& outcome) {
    using enum jobs::Outcome::Kind;
    CaseResult result;
    if (outcome.kind == Returned) {
        result = from_text(outcome.text);
    } else {
        result.status = outcome.kind == TimedOut ? Status::Timeout
                        : outcome.kind == Died   ? Status::Crash
                                                 : Status::Error;
        result.message = outcome.explanation();
    }
    result.wall_seconds = outcome.wall_seconds;
    result.cpu_seconds = outcome.cpu_seconds;
    return result;
}

// Returns the configurations that the list's cases run on.
std::vector<config::Config> configs_of(const List& list) {
    std::vector<config::Config> configs;
    for (const auto& named : list.configs) {
        const auto uses = [&named](const Case& one) { return one.config == named.first; };
        if (std::ranges::any_of(list.cases, uses)) configs.push_back(named.second);
    }
    return configs;
}

class Regression {
  public:
    Regression(const List& list, const Options& options)
        : list_(list), options_(options), cores_(configs_of(list)), store_(options.folder, options.resume) {
        summary_.name = list.name;
        summary_.results.resize(list.cases.size());
        for (CaseResult& result : summary_.results) result.status = Status::NotRun;
    }

    Summary run() {
        const Clock::time_point start = Clock::now();
        progress_ = {.cores = cores_.missing(),
                     .core_seconds = cores_.last_build_seconds(),
                     .total = list_.cases.size()};
        summary_.complete = build_cores() && run_all();
        if (summary_.complete) summary_.coverage_minimum = options_.coverage_minimum;
        summary_.core_choices = cores_.choices();
        if (summary_.complete) run_failures();
        if (summary_.complete) explain_cycles();
        summary_.seconds = seconds_since(start);
        return std::move(summary_);
    }

  private:
    bool build_cores() {
        return cores_.build_missing(options_.jobs, options_.folder, [this](std::size_t built) {
            progress_.cores_built = built;
            return !options_.observer || options_.observer(progress_);
        });
    }

    const config::Config& config_of(const Case& one) const { return list_.configs.at(one.config); }

    RunSettings settings_of(const Case& one) const {
        return {.machine = options_.machine, .core = &cores_.of(config_of(one))};
    }

    jobs::Job job(std::size_t index, const RunSettings& settings) const {
        const Case& one = list_.cases[index];
        const double limit =
            hard_limit(one.time_limit) + (settings.diagnose ? 2 * DiagnosisTime * one.time_limit : 0);
        return {.work = [this, &one, settings] { return to_text(run_case(one, config_of(one), settings)); },
                .time_limit = limit};
    }

    // Runs one job; returns nothing when `tick` ended it.
    std::optional<jobs::Outcome> run_alone(std::size_t index, const RunSettings& settings,
                                           const std::function<bool()>& tick) const {
        jobs::Outcome ended;
        const bool complete = jobs::run_all(
            1, [&](std::size_t) { return job(index, settings); },
            [&ended](std::size_t, const jobs::Outcome& outcome) { ended = outcome; },
            {.workers = 1, .tick = tick});
        return complete ? std::optional(ended) : std::nullopt;
    }

    jobs::Job first_job(std::size_t index) const {
        RunSettings settings = settings_of(list_.cases[index]);
        settings.plan = options_.plan;
        return job(index, settings);
    }

    // Returns the name of a case's result in the store; none without its core.
    std::string identity_of(const Case& one) const {
        const sweep::PlannedCore& core = cores_.of(config_of(one));
        if (!core.error.empty()) return "";
        return identity(one, config_of(one), sweep::origin_of(core.origin, one.own.get()),
                        options_.plan == nullptr ? "" : options_.plan_text);
    }

    bool run_all() {
        std::vector<std::uint64_t> hits(options_.plan == nullptr ? 0 : options_.plan->combinations);
        const auto take = [&](std::size_t index, CaseResult taken) {
            CaseResult& result = summary_.results[index] = std::move(taken);
            for (std::size_t i = 0; i < std::min(hits.size(), result.coverage.size()); ++i)
                hits[i] += result.coverage[i];
            result.coverage.clear();
            compare_cycles(list_.cases[index], result);
            ++progress_.completed;
            progress_.failed += result.failed();
        };
        std::vector<std::size_t> pending;
        std::vector<std::string> names(list_.cases.size());
        for (std::size_t i = 0; i < list_.cases.size(); ++i) {
            names[i] = identity_of(list_.cases[i]);
            auto kept = names[i].empty() ? std::nullopt : store_.find(names[i]);
            if (kept) {
                ++summary_.kept;
                take(i, *std::move(kept));
            } else {
                pending.push_back(i);
            }
        }
        const Clock::time_point start = Clock::now();
        const auto done = [&](std::size_t number, const jobs::Outcome& outcome) {
            const std::size_t index = pending[number];
            const CaseResult result = result_of(outcome);
            if (!names[index].empty()) store_.put(names[index], result);
            take(index, result);
        };
        const bool complete =
            jobs::run_all(pending.size(), [&](std::size_t number) { return first_job(pending[number]); },
                          done, {.workers = options_.jobs, .tick = tick_from(start)});
        if (options_.plan != nullptr) summary_.coverage = coverage::make_report(*options_.plan, hits);
        return complete;
    }

    void compare_cycles(const Case& one, CaseResult& result) const {
        if (result.failed() || result.cycles == 0 || one.perturb) return;
        const auto found = options_.baseline.find(one.id);
        if (found != options_.baseline.end()) result.baseline = found->second;
        const std::string wrong = compare(options_.baseline, one.id, result.cycles);
        if (wrong.empty()) return;
        result.status = Status::Cycles;
        result.message = wrong;
        const auto before = options_.engines.find(one.id);
        result.detail = before != options_.engines.end()
                            ? profile::differences(before->second, result.engines)
                            : fmt::format("no cycles by class in {}, which --update-baseline writes\n",
                                          engines_file(list_.file).string());
    }

    // Keeps the kernels of the first cases with other cycles, and names the commands that say more.
    void explain_cycles() {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < summary_.results.size(); ++i) {
            CaseResult& result = summary_.results[i];
            const Case& one = list_.cases[i];
            if (result.status != Status::Cycles) continue;
            result.commands = {accept_command(list_.file, options_.folder)};
            if (kept++ >= MaxReruns) continue;
            std::filesystem::create_directories(options_.folder / "failures");
            const std::filesystem::path stem = std::filesystem::absolute(
                options_.folder / fmt::format("failures/{:03}-{}", i, file_name(one.id)));
            // A process of its own, as a kernel may come from a program of the user.
            const jobs::Outcome ended = jobs::run({.work =
                                                       [&] {
                                                           keep_kernel(one, config_of(one), stem);
                                                           return std::string();
                                                       },
                                                   .time_limit = hard_limit(one.time_limit)});
            if (!ended.returned()) continue;
            const Evidence evidence{.stem = stem};
            const std::filesystem::path& core = cores_.of(config_of(one)).folder;
            result.commands.insert(result.commands.begin(),
                                   commands_of(one, list_.file, evidence, core).profile);
        }
    }

    std::function<bool()> tick_from(Clock::time_point start) {
        return [this, start] {
            progress_.seconds = seconds_since(start);
            return !options_.observer || options_.observer(progress_);
        };
    }

    // Runs failed cases one after the other, so that nothing else disturbs them. Failures of cycles are not
    // run again.
    void run_failures() {
        std::vector<std::size_t> failures;
        for (std::size_t i = 0; i < summary_.results.size(); ++i) {
            const CaseResult& result = summary_.results[i];
            if (result.failed() && result.status != Status::Cycles) failures.push_back(i);
        }
        if (failures.size() > MaxReruns) failures.resize(MaxReruns);
        progress_ = {.total = failures.size(), .failed = progress_.failed, .reruns = true};
        const Clock::time_point start = Clock::now();
        for (const std::size_t index : failures) {
            if (!rerun(index, tick_from(start))) {
                summary_.complete = false;
                return;
            }
            ++progress_.completed;
        }
    }

    // Runs a mismatch again to diagnose it and takes the diagnosis.
    bool diagnose(std::size_t index, const std::function<bool()>& tick) {
        CaseResult& result = summary_.results[index];
        if (result.status != Status::Mismatch) return true;
        RunSettings settings = settings_of(list_.cases[index]);
        settings.diagnose = true;
        const auto ended = run_alone(index, settings, tick);
        if (!ended) return false;
        const CaseResult found = result_of(*ended);
        if (found.status != result.status || found.message != result.message) return true;
        result.detail = found.detail;
        result.place = found.place;
        result.view = found.view;
        result.element = found.element;
        return true;
    }

    // Runs a mismatch again to see the write of its first wrong element, and takes its cycle.
    bool locate(std::size_t index, const std::function<bool()>& tick) {
        CaseResult& result = summary_.results[index];
        if (!result.element) return true;
        RunSettings settings = settings_of(list_.cases[index]);
        settings.element = result.element;
        const auto ended = run_alone(index, settings, tick);
        if (!ended) return false;
        const CaseResult found = result_of(*ended);
        if (found.status != result.status || found.message != result.message || !found.element) return true;
        result.place = found.place;
        result.detail += fmt::format("  which is written in cycle {}\n", result.place);
        return true;
    }

    // Returns the command that makes a kernel that could not be made; a program's reads the configuration from
    // a file, which is kept.
    std::string keep_build(const Case& one, const std::filesystem::path& stem) const {
        const std::string kernel = stem.string() + ".neff", config = stem.string() + ".yaml";
        if (one.own && one.own->is_program()) files::write(config, config::show(config_of(one)));
        return build_command(one, list_.file, kernel, config);
    }

    bool rerun(std::size_t index, const std::function<bool()>& tick) {
        const Case& one = list_.cases[index];
        CaseResult& result = summary_.results[index];
        const std::string name = fmt::format("failures/{:03}-{}", index, file_name(one.id));
        std::filesystem::create_directories(options_.folder / "failures");
        if (!diagnose(index, tick) || !locate(index, tick)) return false;
        Rerun rerun;
        const Range range = result.element ? OfElement : Around;
        rerun.first_cycle = result.place > range.before ? result.place - range.before : 0;
        rerun.last_cycle = result.place + range.after;
        const std::filesystem::path stem = std::filesystem::absolute(options_.folder / name);
        RunSettings settings = settings_of(one);
        settings.evidence = {stem, {}, rerun.first_cycle, rerun.last_cycle, result.view, result.place, {}};
        settings.element = result.element;
        // Probes show only four lanes.
        if (result.element && result.view != "core") {
            settings.evidence->scopes = {"all"};
            settings.evidence->lane = result.element->lane;
        }
        const auto ended = run_alone(index, settings, tick);
        files::remove_leftovers(options_.folder / "failures");  // in case it was ended
        if (!ended) return false;
        const CaseResult again = result_of(*ended);
        rerun.same = again.status == result.status && again.message == result.message;
        rerun.said =
            fmt::format("{}{}{}", name_of(again.status), again.message.empty() ? "" : ": ", again.message);
        rerun.log = name + ".log";
        const Commands commands = commands_of(one, list_.file, *settings.evidence, settings.core->folder);
        std::error_code ignored;
        const std::string kernel = stem.string() + ".neff";
        rerun.reproduce = std::filesystem::exists(kernel, ignored) ? commands.reproduce
                          : settings.core->error.empty()           ? keep_build(one, stem)
                                                                   : "";
        if (std::filesystem::exists(stem.string() + TraceEnding, ignored)) rerun.trace = name + TraceEnding;
        if (std::filesystem::exists(stem.string() + ".fst", ignored)) {
            rerun.wave = name + ".fst";
            rerun.show = commands.show;
        }
        result.rerun = rerun;
        files::write(options_.folder / rerun.log, log_text(one, config_of(one), result, ended->log));
        return true;
    }

    const List& list_;
    const Options& options_;
    sweep::CoreSet cores_;
    Store store_;
    Summary summary_;
    Progress progress_;
};

}  // namespace

std::size_t Summary::failed() const {
    return static_cast<std::size_t>(std::ranges::count_if(results, &CaseResult::failed));
}

std::size_t Summary::ran() const {
    return results.size() -
           static_cast<std::size_t>(std::ranges::count(results, Status::NotRun, &CaseResult::status));
}

std::string Summary::coverage_failure() const {
    if (!coverage || coverage->percent() >= coverage_minimum) return "";
    return fmt::format("{} of {} bins are {:.1f} %, expected at least {:g} %", coverage->hit, coverage->bins,
                       coverage->percent(), coverage_minimum);
}

Summary run(const List& list, const Options& options) {
    return Regression(list, options).run();
}

}  // namespace trnsim::regress
