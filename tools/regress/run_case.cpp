#include "tools/regress/run_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <optional>
#include <stdexcept>

#include "arch/target/target.hpp"
#include "base/files/files.hpp"
#include "base/npy/npy.hpp"
#include "base/time/cycles.hpp"
#include "base/time/time.hpp"
#include "compiler/neff/neff.hpp"
#include "runtime/session/relay.hpp"
#include "runtime/session/trace_writer.hpp"
#include "runtime/waves/recorder.hpp"
#include "runtime/waves/view.hpp"
#include "testbench/coverage/collector.hpp"
#include "testbench/trial/lockstep.hpp"
#include "testbench/trial/sighting.hpp"
#include "testbench/trial/trial.hpp"
#include "tools/regress/recorder.hpp"

namespace trnsim::regress {
namespace {

void split_message(CaseResult& result, const std::string& text) {
    const std::size_t end = text.find('\n');
    result.message = text.substr(0, end);
    if (end != std::string::npos) result.detail = text.substr(end + 1) + "\n";
}

trial::Trial make_trial(const Case& one, const config::Config& config) {
    if (one.own) return trial::make_trial(config, trial::package_of(*one.own, config), one.seed);
    if (!one.random) return trial::make_trial(config, one.subject, one.arguments, one.seed);
    std::optional<coverage::Collector> found;
    random_programs::Aim aim;
    if (one.aim) {
        found.emplace(*one.aim, target::of(config), one.stochastic);
        aim = [&found](isa::Engine engine, const isa::Instruction& instruction) {
            return found->adds(engine, instruction);
        };
    }
    return trial::make_random_trial(config, one.subject, one.arguments, one.seed, aim);
}

std::string view_of(isa::Engine engine) {
    const bool computes =
        engine == isa::Engine::Tensor || engine == isa::Engine::Vector || engine == isa::Engine::Scalar;
    return std::string(computes ? isa::name_of(engine) : "core");
}

std::filesystem::path with(const std::filesystem::path& stem, const std::string& extension) {
    return stem.string() + extension;
}

void write_kernel(const Case& one, const trial::Trial& trial, const std::filesystem::path& stem) {
    neff::write(with(stem, ".neff"), trial.package);
    if (!one.random) return;
    for (const neff::Tensor& tensor : trial.package.tensors) {
        if (neff::is_input(tensor.kind))
            npy::write(with(stem, "-" + tensor.name + ".npy"),
                       loader::from_device(tensor, trial.inputs.at(tensor.name)));
    }
}

class Run {
  public:
    Run(const Case& one, const config::Config& config, const RunSettings& settings)
        : case_(one),
          settings_(settings),
          trial_(make_trial(one, config)),
          recorder_(trial_.package, start_trace()) {}

    CaseResult run() {
        try {
            simulate();
        } catch (const std::exception& error) {
            fail(Status::Error, error.what(), recorder_.last_cycle());
        }
        if (trace_) {
            trace_->finish();
            trace_file_->commit();
        }
        return std::move(result_);
    }

  private:
    // Starts the trace of a run that leaves evidence.
    runtime::Tracks* start_trace() {
        if (!settings_.evidence) return nullptr;
        return &trace_.emplace(trace_file_.emplace(with(settings_.evidence->stem, TraceEnding)).stream());
    }

    void fail(Status status, const std::string& message, std::uint64_t place) {
        result_.status = status;
        split_message(result_, message);
        result_.place = place;
        result_.detail += fmt::format("instructions around cycle {}:\n{}", place, recorder_.around(place));
    }

    void simulate() {
        runtime::Prepared prepared = trial::prepare(trial_);
        prepared.run = {.rounding = {case_.stochastic, case_.seed},
                        .max_time = case_.max_time,
                        .progress = [this](const runtime::Progress& progress) { return go_on(progress); }};
        std::optional<waves::Recorder> wave;
        if (settings_.evidence) {
            write_kernel(case_, trial_, settings_.evidence->stem);
            wave.emplace(
                runtime::WaveRequest{with(settings_.evidence->stem, ".fst"), settings_.evidence->scopes,
                                     settings_.evidence->first_cycle, settings_.evidence->last_cycle},
                trial_.package);
        }
        if (settings_.element) look_for(*settings_.element);
        runtime::Relay sink, others;
        others.attach(wave ? wave->listener() : nullptr, sighting_ ? &*sighting_ : nullptr);
        sink.attach(&recorder_, &others);
        const auto request = wave ? std::optional(wave->request()) : std::nullopt;
        const auto machine =
            settings_.machine(trial_.config, {.sink = &sink,
                                              .wave = request,
                                              .perturb = case_.perturb,
                                              .random_memory = case_.seed,
                                              .watch = sighting_ ? sighting_->watch() : nullptr});
        const runtime::Result run =
            runtime::execute(*machine, trial_.package, prepared, recorder_.observer());
        std::optional<trial::WriteTime> written;
        if (sighting_) written = sighting_->time(trial_.config, trial_.package, run.fidelity);
        if (wave) {
            waves::Run made = waves::run_of(run, trial_.config);
            if (written) made.element = element_of(*written);
            wave->commit_recording(machine->close_wave(), made);
            write_view(*settings_.evidence, made);
        }
        result_.cycles = run.figures.cycles;
        result_.rtl_hash = run.core.rtl_hash;
        result_.verilator = run.core.verilator;
        if (run.outcome == tlm::Outcome::TimeLimit) {
            const bool simulated = case_.max_time != 0 && run.figures.time >= case_.max_time;
            fail(Status::Timeout,
                 simulated ? run.message : fmt::format("took longer than {:g} s", case_.time_limit),
                 recorder_.last_cycle());
        } else if (run.outcome == tlm::Outcome::Hang) {
            fail(Status::Error, run.message, recorder_.last_cycle());
        } else if (!run.done()) {
            fail(Status::Error, run.message, cycle_of(run.figures.start + run.figures.time));
        } else {
            compare(run.outputs, *machine);
            if (result_.status == Status::Pass)
                result_.engines = profile::engine_cycles(
                    profile::engines_of(trial_.package, trial_.config, run.figures, recorder_.by_engine()));
        }
        if (!written) return;
        result_.place = written->cycle;
        result_.element = settings_.element;
    }

    // Prepares to see the write of an element, unless the interpreter's instruction does not write it: then
    // that is the mistake.
    void look_for(const WrongElement& element) {
        writer_ = trial::write_of(trial_, {case_.stochastic, case_.seed}, element.engine,
                                  static_cast<std::size_t>(element.number), element.address);
        if (writer_) sighting_.emplace(*writer_);
    }

    waves::Element element_of(const trial::WriteTime& written) const {
        const auto text = [this](const std::optional<std::uint64_t>& bits, const char* otherwise) {
            return bits ? trial::describe(writer_->spot.dtype, *bits) : otherwise;
        };
        return {.name = trial::describe(trial_.package, writer_->spot),
                .cycle = written.cycle,
                .expected = text(writer_->bits, "-"),
                .found = text(written.bits, written.seen ? "not written" : "-"),
                .lane = settings_.element->lane};
    }

    void write_view(const Evidence& evidence, const waves::Run& made) const {
        const waves::Recording recording = waves::read_recording(with(evidence.stem, ".fst"));
        const std::uint64_t first = cycle_of(recording.first * FsPerPs) + 1,
                            last = cycle_of(recording.last * FsPerPs);
        waves::Window window =
            waves::window_around(recording, made, std::clamp(evidence.place, first, std::max(first, last)));
        window.lane = evidence.lane;
        waves::write_save_file(waves::find_view(evidence.view), recording, window);
    }

    // Returns whether the run goes on. A recorded run goes on until the start of its recording, up to twice
    // the time limit.
    bool go_on(const runtime::Progress& progress) const {
        if (progress.wall_seconds <= case_.time_limit) return true;
        return settings_.evidence && recorder_.last_cycle() < settings_.evidence->first_cycle &&
               progress.wall_seconds <= 2 * case_.time_limit;
    }

    void compare(const runtime::Arrays& outputs, runtime::Machine& machine) {
        functional::Options options{.adversary = functional::Adversary::Latest,
                                    .rounding = {case_.stochastic, case_.seed}};
        std::optional<coverage::Collector> collector;
        if (settings_.plan != nullptr) {
            collector.emplace(*settings_.plan, trial_.package.target, case_.stochastic);
            options.executed = std::ref(*collector);
        }
        const auto differences =
            trial::differences(trial_.package, trial::interpret(trial_, options), outputs);
        if (collector) result_.coverage = collector->hits();
        if (differences.empty()) {
            result_.status = Status::Pass;
            result_.place = recorder_.last_cycle();  // to look at if an error was expected
            return;
        }
        std::string text;
        for (const trial::Difference& difference : differences)
            text += (text.empty() ? "" : "\n") + trial::describe(trial_.package, difference);
        const auto culprit = recorder_.first_wrong(differences);
        if (culprit) {
            const neff::Transfer& transfer = trial_.package.transfers[culprit->transfer];
            text += fmt::format("\nfirst wrong transfer: '{}'{}, triggered in cycle {}", transfer.name,
                                transfer.loop ? fmt::format(" in iteration {}", culprit->iteration) : "",
                                culprit->cycle);
        }
        fail(Status::Mismatch, text, culprit ? culprit->cycle : recorder_.last_cycle());
        if (settings_.diagnose) diagnose(machine);
    }

    void diagnose(runtime::Machine& machine) {
        recorder_.stop();
        const auto start = std::chrono::steady_clock::now();
        const auto go_on = [&] {
            const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
            return seconds.count() <= DiagnosisTime * case_.time_limit;
        };
        const auto wrong = trial::find_wrong_step(trial_, machine, {case_.stochastic, case_.seed}, go_on);
        if (!wrong) {
            result_.detail += "first wrong instruction: not found, beginnings of the program are right\n";
            return;
        }
        result_.detail += wrong->text;
        if (wrong->address)
            result_.element = {wrong->step.engine, wrong->number, *wrong->address, wrong->lane.value()};
        result_.view = view_of(wrong->step.engine);
        const auto event = recorder_.find(wrong->step.engine, wrong->number);
        if (!event) return;
        result_.place = event->completion_cycle;
        result_.detail += fmt::format("  in cycles {} to {}\n", event->issue_cycle, event->completion_cycle);
    }

    std::uint64_t cycle_of(std::uint64_t fs) const { return time_to_cycles(fs, trial_.config.core.clock); }

    const Case& case_;
    const RunSettings& settings_;
    trial::Trial trial_;
    std::optional<files::OutputFile> trace_file_;
    std::optional<runtime::TraceWriter> trace_;
    Recorder recorder_;
    std::optional<trial::Writer> writer_;  // the write of the element that is looked for
    std::optional<trial::Sighting> sighting_;
    CaseResult result_;
};

CaseResult run_it(const Case& one, const config::Config& config, const RunSettings& settings) {
    try {
        if (settings.core != nullptr) {
            if (!settings.core->error.empty()) throw std::runtime_error(settings.core->error);
            if (!settings.core->folder.empty())
                ::setenv("TRNSIM_CORE_PATH", settings.core->folder.c_str(), 1);
        }
        return Run(one, config, settings).run();
    } catch (const std::exception& error) {
        CaseResult result;
        split_message(result, error.what());
        return result;
    }
}

}  // namespace

void keep_kernel(const Case& one, const config::Config& config, const std::filesystem::path& stem) {
    write_kernel(one, make_trial(one, config), stem);
}

CaseResult run_case(const Case& one, const config::Config& config, const RunSettings& settings) {
    CaseResult result = run_it(one, config, settings);
    if (one.expect.empty() || result.status == Status::Timeout) return result;
    if (result.status != Status::Error) {
        result.status = Status::NoError;
        result.message = fmt::format("ended without an error, expected '{}'", one.expect);
    } else if (result.message.find(one.expect) == std::string::npos) {
        result.message += fmt::format(" (expected '{}')", one.expect);
    } else {
        CaseResult passed;
        passed.status = Status::Pass;
        passed.rtl_hash = result.rtl_hash;
        passed.verilator = result.verilator;
        return passed;
    }
    return result;
}

}  // namespace trnsim::regress
