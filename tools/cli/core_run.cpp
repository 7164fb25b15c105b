#include "tools/cli/core_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <optional>
#include <stdexcept>

#include "arch/config/config.hpp"
#include "base/files/files.hpp"
#include "compiler/kernels/registry.hpp"
#include "compiler/neff/unwritten.hpp"
#include "runtime/session/relay.hpp"
#include "runtime/session/report.hpp"
#include "runtime/session/runner.hpp"
#include "runtime/session/statistics.hpp"
#include "runtime/session/unwritten.hpp"
#include "runtime/session/unwritten_moves.hpp"
#include "runtime/waves/outputs.hpp"
#include "runtime/waves/run.hpp"
#include "runtime/waves/view.hpp"
#include "testbench/trial/events.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/golden_check.hpp"
#include "tools/cli/marked_element.hpp"
#include "tools/cli/run_recordings.hpp"
#include "tools/cli/signals.hpp"
#include "tools/cli/wave_on_error.hpp"
#include "tools/cli/wrong_outputs.hpp"
#include "tools/command/progress_line.hpp"
#include "tools/cores/others.hpp"
#include "tools/gdb/server.hpp"

namespace trnsim::cli {
namespace {

constexpr std::uint32_t NotificationRecords = 1 << 16;  // records of the queue's buffer

// Returns e.g. "kernel 'matmul', built in, trnsim 0.1.0, with source lines".
std::string origin_of(const neff::Package& package) {
    return fmt::format(
        "kernel '{}', {}, {}, {} source lines", package.name,
        kernels::is_built_in(package) ? "built in" : "not built in",
        package.origin.builder.empty() ? "not made by trnsim" : "trnsim " + package.origin.builder,
        package.sources.empty() ? "without" : "with");
}

runtime::Prepared prepare(const RunRequest& request) {
    runtime::Prepared prepared =
        request.resumed
            ? runtime::prepare_resumed(request.package(), request.config)
            : runtime::prepare_contents(request.package(), request.config, request.inputs.front(),
                                        request.options.notifications.empty() ? 0 : NotificationRecords);
    prepared.run = request.with_state();
    prepared.run.takes_outputs = true;
    return prepared;
}

class CoreRun {
  public:
    CoreRun(const RunRequest& request, const Environment& environment)
        : request_(request),
          options_(request.options),
          environment_(environment),
          tables_(estimates::load_tables()),
          prepared_(prepare(request)) {}

    int run(const Finished& finished) {
        if (const std::string unread = unread_variables(); !unread.empty() && !environment_.quiet())
            environment_.err << fmt::format("trnsim: set, but without effect here: {}\n", unread);
        if (const auto status = prepare_run()) return *status;
        if (request_.gdb_port) wait_for_debugger();  // a signal ends it at once
        {
            const InterruptGuard guard;  // a signal leaves the recordings so far whole
            recordings_.emplace(request_);
            if (!simulate()) return without_wave("the simulation broke off");
            const std::string wave_failure = machine_->close_wave();
            std::vector<std::string> problems = find_problems();
            describe(problems.empty() ? "" : "failed");
            judge(std::move(problems));
            if (good_) write_outputs(result_.outputs);
            write_files(wave_failure);
        }
        return end(finished);
    }

  private:
    // Does what takes the interpreter and no machine. Returns the exit code if there is nothing to run. Throws
    // functional::Interrupted.
    std::optional<int> prepare_run() {
        const InterruptGuard guard;
        if (const auto status = interpret()) return status;
        if (const auto status = look_at_outputs()) return status;
        if (const auto status = look_at_moves()) return status;
        if (request_.wave_element)
            marked_.emplace(*request_.wave_element, trial_of(request_.package(), request_.config, prepared_),
                            rounding_of(prepared_), request_.limits);
        if (InterruptGuard::interrupted()) throw functional::Interrupted();
        return std::nullopt;
    }

    // Interprets the kernel if it is to be checked. Returns the exit code if the kernel is wrong or the RTL
    // does not run.
    std::optional<int> interpret() {
        if (options_.check || (!options_.no_check && !options_.looks_on && !request_.resumed &&
                               !kernels::is_built_in(request_.package())))
            check_.emplace(request_.package(), request_.config, prepared_,
                           request_.device.perturb.value_or(0), request_.limits);
        if (!check_) return std::nullopt;
        for (const std::string& mistake : check_->mistakes())
            environment_.err << fmt::format("trnsim: check of {}: {}\n", options_.kernel, mistake);
        if (!check_->mistakes().empty()) return without_wave("the kernel did not run");
        if (!options_.no_rtl) return std::nullopt;
        environment_.summary() << fmt::format("{}: {}\n", options_.kernel, check_->text_of_kernel());
        write_outputs(check_->outputs());
        return Success;
    }

    // Returns the exit code if no transfer of the kernel writes some element of an output.
    std::optional<int> look_at_outputs() const {
        const auto unwritten = neff::unwritten_outputs(request_.package());
        for (const neff::UnwrittenOutput& output : unwritten)
            environment_.err << fmt::format("trnsim: {}: {}\n", options_.kernel,
                                            neff::describe(request_.package(), output));
        return unwritten.empty() ? std::nullopt : std::optional(without_wave("the kernel did not run"));
    }

    // Looks for transfers of what nothing has written, which the interpreter finds as well. Returns the exit code
    // if they make the run fail.
    std::optional<int> look_at_moves() const {
        if (check_ || request_.resumed) return std::nullopt;
        const std::vector<std::string> lines = runtime::unwritten_moves(request_.package());
        report_moves(lines, options_, environment_);
        return !lines.empty() && options_.fail_on_unwritten
                   ? std::optional(without_wave("the kernel did not run"))
                   : std::nullopt;
    }

    // Says why a run that failed leaves no waveform, if it was to leave one. Returns the exit code.
    int without_wave(const char* why) const {
        if (!options_.wave_on_error.empty())
            environment_.err << fmt::format("trnsim: --wave-on-error {}: not recorded, as {}\n",
                                            options_.wave_on_error, why);
        return SimulationError;
    }

    void wait_for_debugger() {
        try {
            debugger_ = std::make_unique<gdb::Server>(
                *request_.gdb_port, static_cast<std::uint32_t>(request_.package().target.partitions),
                InterruptGuard::interrupted);
        } catch (const std::runtime_error& error) {
            throw std::runtime_error(fmt::format("--gdb {}: {}", *request_.gdb_port, error.what()));
        }
        environment_.err << fmt::format(
            "trnsim: GpSimd core k is thread k + 1 of a debugger: target remote 127.0.0.1:{}\n",
            debugger_->port());
        environment_.err.flush();
        debugger_->accept();
    }

    // Returns false if the simulation broke off; the reason is printed.
    bool simulate() {
        observer_.emplace(request_.package(), recordings_->trace());
        further_.attach(marked_ ? &marked_->sighting() : nullptr,
                        options_.wave_on_error.empty() ? nullptr : &events_);
        listeners_.attach(recordings_->listener(), &further_);
        sink_.attach(&*observer_, &listeners_);
        runtime::MachineOptions device = request_.device;
        device.sink = &sink_;
        device.wave = recordings_->wave();
        device.gpsimd = recordings_->instructions();
        device.debugger = debugger_.get();
        if (marked_) device.watch = marked_->sighting().watch();
        machine_ = environment_.machine(request_.config, device);
        ProgressLine line(environment_.err);
        prepared_.run.notifications = recordings_->notifications();
        prepared_.run.progress = [&](const runtime::Progress& progress) {
            if (environment_.shows_progress()) line.show(progress);
            return !InterruptGuard::interrupted();
        };
        try {
            result_ = runtime::execute(*machine_, request_.package(), prepared_, *observer_);
        } catch (const tlm::SimulationError& error) {
            environment_.err << fmt::format("trnsim: {}\n", error.what());
            recordings_->commit_instructions([](const std::string&, const std::string&) {});
            if (debugger_) debugger_->finish(SimulationError);
            return false;
        }
        if (debugger_) debugger_->finish(result_.done() ? Success : SimulationError);
        return true;
    }

    // Prints a row of the summary.
    void wrote(const std::string& what, const std::string& path) const {
        environment_.summary() << fmt::format("  {:<18} {}\n", what, path);
    }

    // Prints what the run was; the verdict is empty unless something is wrong with a run that is done.
    void describe(const std::string& verdict) const {
        if (environment_.verbose()) {
            environment_.out << fmt::format("{}: {}\n", options_.kernel, origin_of(request_.package()));
            environment_.out << fmt::format("configuration {}: {}\n", request_.config.name,
                                            config::resolve(request_.config_name).string());
            environment_.out << (result_.fidelity == runtime::Fidelity::Fast
                                     ? "core of fidelity fast\n"
                                     : fmt::format("core {}, Verilator {}\n", result_.core.rtl_hash,
                                                   result_.core.verilator));
        }
        for (const std::string& line : result_.printed) environment_.out << line << '\n';
        environment_.summary() << runtime::summary(result_, request_.package(), request_.config, tables_,
                                                   result_.done() ? verdict : "");
        describe_core();
        if (!request_.random.empty())
            wrote("random inputs",
                  fmt::format("{} (seed {})", fmt::join(request_.random, ", "), *options_.random_inputs));
        if (result_.checkpoint && options_.checkpoints.saves())
            wrote("checkpoint", options_.checkpoints.save_checkpoint);
    }

    // Says which core ran if there are others with its parameters but other RTL.
    void describe_core() const {
        constexpr std::size_t Most = 1, All = 100;
        const std::string& used = result_.core.rtl_hash;
        if (environment_.quiet() || result_.fidelity == runtime::Fidelity::Fast || used.empty()) return;
        const auto others = cores::other_cores(request_.config, used);
        if (!others.empty())
            wrote("core", cores::describe(used, others, environment_.verbose() ? All : Most));
    }

    // Returns what makes the run fail whatever its outputs are, a line each.
    std::vector<std::string> find_problems() const {
        std::vector<std::string> problems =
            shortcomings(request_, result_, runtime::first_nan(result_.figures, request_.package()));
        if (!result_.done()) problems.push_back(result_.message);
        const std::string reads = runtime::unwritten_reads(result_.figures, request_.package());
        if (options_.fail_on_unwritten && !reads.empty()) problems.push_back(reads);
        return problems;
    }

    void judge(std::vector<std::string> problems) {
        wrong_.emplace(request_, prepared_);
        const std::string reads = runtime::unwritten_reads(result_.figures, request_.package());
        if (!options_.fail_on_unwritten && !reads.empty() && !environment_.quiet())
            environment_.err << fmt::format("trnsim: warning: {}\n", reads);
        if (result_.done() && check_) {
            for (std::string& problem : wrong_->differences(*check_, result_))
                problems.push_back(std::move(problem));
        }
        good_ = problems.empty();
        const std::vector<std::string> unexpected = wrong_->disagreements(result_);
        as_expected_ = unexpected.empty();
        std::vector<std::string> lines = problems;
        lines.insert(lines.end(), unexpected.begin(), unexpected.end());
        for (const std::string& line : lines) environment_.err << fmt::format("trnsim: {}\n", line);
        if (!good_) return;
        if (as_expected_ && !request_.files.expected.empty()) {
            std::vector<std::string> names;
            names.reserve(request_.files.expected.size());
            for (const auto& [name, path] : request_.files.expected) names.push_back(name);
            wrote("expected", fmt::format("{} as expected (rtol {:g}, atol {:g})", fmt::join(names, ", "),
                                          request_.tolerance.relative, request_.tolerance.absolute));
        }
        if (check_) wrote("check", check_->text() + (options_.check ? "" : "; --no-check leaves it out"));
        if (options_.no_check) wrote("check", "none, as --no-check says");
    }

    void write_outputs(const runtime::Arrays& outputs) const {
        cli::write_outputs(request_.package(), request_.files, 0, outputs,
                           [this](const std::string& tensor, const std::filesystem::path& path) {
                               wrote(fmt::format("output {}", tensor), path.string());
                           });
    }

    // Writes the smaller files first: if the disk fills up, they are there.
    void write_files(const std::string& wave_failure) {
        const auto wrote = [this](const std::string& what, const std::string& path) {
            this->wrote(what, path);
        };
        if (!options_.stats.empty()) {
            files::write(options_.stats,
                         runtime::to_json(result_, request_.package(), request_.config, tables_));
            wrote("statistics", options_.stats);
        }
        recordings_->commit_trace(wrote);
        recordings_->commit_instructions(wrote);
        recordings_->commit_notifications(wrote);
        if (options_.checkpoints.switches() && !result_.checkpoint) return;
        waves::Run run = waves::run_of(result_, request_.config);
        if (marked_) run.element = marked_->element(request_, result_);
        recordings_->commit_wave(wave_failure, run, wrote);
    }

    // Returns the part of the run that shows what is wrong.
    ErrorPlace place_of_error() const {
        const tlm::NumericError& numeric = result_.figures.numeric;
        std::optional<tlm::trace::Instruction> event;
        const std::optional<WrongElement>& wrong = wrong_->first();
        if (wrong)
            event = events_.find(wrong->writer.step.engine, wrong->writer.number);
        else if (result_.done() && numeric.engines != 0)
            event = events_.first(numeric.engine, numeric.pc);
        if (!event) return end_of(result_, request_.config);
        ErrorPlace place = around(event->issue_cycle, event->completion_cycle, request_.config);
        if (wrong) place.element = name_of(wrong->element, request_.package());
        return place;
    }

    int end(const Finished& finished) const {
        if (good_ && finished) finished(request_.package(), request_.config, result_);
        if (good_ && as_expected_) return Success;
        if (options_.wave_on_error.empty()) return SimulationError;
        if (record_error(options_, result_, place_of_error(), environment_)) {
            wrote("wave of the error", options_.wave_on_error);
            wrote("view of the error",
                  waves::save_file_of(options_.wave_on_error, waves::view_of(options_.wave_scopes)).string());
        }
        return SimulationError;
    }

    const RunRequest& request_;
    const RunOptions& options_;
    const Environment& environment_;
    estimates::Tables tables_;
    runtime::Prepared prepared_;
    std::optional<GoldenCheck> check_;
    std::unique_ptr<gdb::Server> debugger_;
    std::optional<RunRecordings> recordings_;
    std::optional<runtime::Observer> observer_;
    std::optional<MarkedElement> marked_;
    std::optional<WrongOutputs> wrong_;
    trial::Events events_;
    runtime::Relay sink_, listeners_, further_;
    std::unique_ptr<runtime::Machine> machine_;
    runtime::Result result_;
    bool good_ = false, as_expected_ = false;
};

}  // namespace

int run_on_core(const RunRequest& request, const Environment& environment, const Finished& finished) {
    return CoreRun(request, environment).run(finished);
}

}  // namespace trnsim::cli
