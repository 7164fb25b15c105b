#include "tools/cli/run_kernel.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>

#include "arch/config/files_of.hpp"
#include "arch/target/memory.hpp"
#include "base/files/files.hpp"
#include "base/files/roles.hpp"
#include "base/time/cycles.hpp"
#include "compiler/kernels/registry.hpp"
#include "compiler/neff/neff.hpp"
#include "compiler/neff/sizes.hpp"
#include "runtime/loader/tensor_io.hpp"
#include "runtime/session/commit_log.hpp"
#include "runtime/session/relay.hpp"
#include "runtime/session/report.hpp"
#include "runtime/session/runner.hpp"
#include "runtime/session/statistics.hpp"
#include "runtime/session/trace_writer.hpp"
#include "runtime/waves/outputs.hpp"
#include "runtime/waves/recorder.hpp"
#include "testbench/trial/inputs.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/golden_check.hpp"
#include "tools/cli/signals.hpp"
#include "tools/cli/wave_on_error.hpp"
#include "tools/command/progress_line.hpp"
#include "tools/command/target_config.hpp"
#include "tools/command/threads.hpp"
#include "tools/gdb/server.hpp"

namespace trnsim::cli {
namespace {

constexpr std::uint32_t NotificationRecords = 1 << 16;  // of the queue's buffer

// Everything a run needs, checked.
struct Job {
    neff::Package package;
    config::Config config;
    estimates::Tables tables;
    runtime::Prepared prepared;
    std::optional<checkpoint::SystemState> resumed;
    tlm::perturb::Seed perturb;
    tlm::contents::Seed random_memory;
    runtime::Fidelity fidelity{};
    unsigned threads = 1;
    std::vector<std::string> random_inputs;
    std::map<std::string, OutputFile> outputs;
    std::map<std::string, npy::Array> expected;
    Tolerance tolerance;
    std::optional<runtime::WaveRequest> wave;
    std::optional<unsigned> itrace_core;
    std::optional<std::uint16_t> gdb_port;
    bool fail_on_nan = false;
};

// The file of --itrace.
struct InstructionTrace {
    InstructionTrace(const std::string& path, std::optional<unsigned> core)
        : file(path), log(file.stream(), core) {}

    // What is under way as well: the run may have failed.
    void commit() {
        log.finish();
        file.commit();
    }

    files::OutputFile file;
    runtime::CommitLog log;
};

// Throws unless every name is one of an output.
template <typename Values>
void check_outputs(const Job& job, const std::map<std::string, Values>& named) {
    for (const auto& [name, value] : named) {
        std::string names;
        bool known = false;
        for (const neff::Tensor& tensor : job.package.tensors) {
            if (!neff::is_output(tensor.kind)) continue;
            known |= tensor.name == name;
            names += (names.empty() ? "" : " ") + tensor.name;
        }
        if (!known) {
            throw std::runtime_error(fmt::format("kernel '{}' has no output '{}'; its outputs: {}",
                                                 job.package.name, name, names));
        }
    }
}

std::string config_of(const RunOptions& options, const neff::Package& package) {
    return options.config.empty() ? config_for(package) : config_of_chips(options.config);
}

// No file may have two uses, and all that are to be written can be.
void check_files(const RunOptions& options) {
    files::Roles roles;
    roles.add_input("the kernel", options.kernel);
    if (!options.config.empty())
        roles.add_inputs("--config", config::files_of(config_of_chips(options.config)));
    for (const auto& [name, path] : parse_bindings("--input", options.inputs))
        roles.add_input(fmt::format("--input {}", name), path);
    for (const auto& [name, path] : parse_bindings("--expect", options.expected))
        roles.add_input(fmt::format("--expect {}", name), path);
    if (options.checkpoints.resumes()) roles.add_input("--resume", options.checkpoints.resume);
    std::vector<std::pair<std::string, std::filesystem::path>> written;
    for (const auto& [name, file] : parse_outputs(options.outputs))
        written.emplace_back(fmt::format("--output {}", name), file.path);
    for (const auto& [option, path] : {std::pair{"--wave", options.wave},
                                       {"--wave-on-error", options.wave_on_error},
                                       {"--trace", options.trace},
                                       {"--stats", options.stats},
                                       {"--notifications", options.notifications},
                                       {"--save-checkpoint", options.checkpoints.save_checkpoint},
                                       {"--itrace", options.itrace}}) {
        if (!path.empty()) written.emplace_back(option, path);
    }
    for (const auto& [option, path] : options.further) written.emplace_back(option, path);
    for (const auto& [what, path] : written) {
        roles.add_output(what, path);
        files::check_writable(path);
    }
    for (const auto& [what, path] :
         {std::pair{"--wave", options.wave}, {"--wave-on-error", options.wave_on_error}})
        if (!path.empty()) waves::add_beside_core(roles, what, path, options.wave_scopes);
}

// Gives contents to the inputs that have none; returns their names.
std::vector<std::string> add_random_inputs(const neff::Package& package, std::uint64_t seed,
                                           runtime::Arrays& inputs) {
    std::vector<std::string> names;
    for (const neff::Tensor& tensor : package.tensors) {
        if (!neff::is_input(tensor.kind) || inputs.contains(tensor.name)) continue;
        inputs.emplace(tensor.name, loader::from_device(tensor, trial::random_input(package, tensor, seed)));
        names.push_back(tensor.name);
    }
    return names;
}

// "kernel 'matmul', built in, trnsim 0.1.0, with source lines"
std::string origin_of(const neff::Package& package) {
    return fmt::format(
        "kernel '{}', {}, {}, {} source lines", package.name,
        kernels::is_built_in(package) ? "built in" : "not built in",
        package.origin.builder.empty() ? "not made by trnsim" : "trnsim " + package.origin.builder,
        package.sources.empty() ? "without" : "with");
}

// What is not as --expect says, a line each.
std::vector<std::string> disagreements(const Job& job, const runtime::Arrays& outputs) {
    std::vector<std::string> lines;
    for (const neff::Tensor& tensor : job.package.tensors) {
        const auto expected = job.expected.find(tensor.name);
        if (expected == job.expected.end()) continue;
        const std::string line =
            disagreement(tensor, outputs.at(tensor.name), expected->second, job.tolerance);
        if (!line.empty()) lines.push_back(line);
    }
    return lines;
}

Job make_job(const RunOptions& options) {
    check(options);
    check_files(options);
    Job job;
    job.package = neff::read(options.kernel);
    job.config = config::load(config_of(options, job.package));
    job.tables = estimates::load_tables();
    runtime::Arrays inputs;
    for (const auto& [name, path] : parse_bindings("--input", options.inputs))
        inputs.emplace(name, npy::read(path));
    if (options.random_inputs)
        job.random_inputs = add_random_inputs(job.package, *options.random_inputs, inputs);
    job.resumed = read_checkpoint(options.checkpoints);
    job.prepared = job.resumed ? runtime::prepare_resumed(job.package, job.config)
                               : runtime::prepare(job.package, job.config, inputs,
                                                  options.notifications.empty() ? 0 : NotificationRecords);
    job.prepared.checkpoints.request = parse_checkpoint(options.checkpoints, job.config.core.clock);
    job.prepared.rounding = parse_rounding(options);
    job.prepared.max_time = parse_max_time(options);
    job.fail_on_nan = parse_fail_on_nan(options);
    job.perturb = parse_perturb(options);
    job.fidelity = parse_fidelity(options);
    job.random_memory = parse_random_memory(options);
    job.threads = parse_threads(options.threads);
    job.itrace_core = parse_itrace_core(options, target::gpsimd_cores(job.package.target));
    job.gdb_port = parse_gdb_port(options);
    job.outputs = parse_outputs(options.outputs);
    check_outputs(job, job.outputs);
    for (const neff::Tensor& tensor : job.package.tensors) {
        const auto output = job.outputs.find(tensor.name);
        if (output != job.outputs.end() && output->second.as_fp32)
            loader::as_fp32(tensor, loader::from_device(tensor, {}));  // says what cannot be
    }
    for (const auto& [name, path] : parse_bindings("--expect", options.expected))
        job.expected.emplace(name, npy::read(path));
    check_outputs(job, job.expected);
    job.tolerance = parse_tolerance(options);
    for (const neff::Tensor& tensor : job.package.tensors) {
        if (job.expected.contains(tensor.name)) check_expectation(tensor, job.expected.at(tensor.name));
    }
    if (!options.wave.empty()) {
        job.wave = runtime::WaveRequest{options.wave, options.wave_scopes};
        if (!options.wave_window.empty()) {
            std::tie(job.wave->first_cycle, job.wave->last_cycle) =
                parse_window(options.wave_window, job.config.core.clock);
        }
        if (options.checkpoints.switches()) {
            const std::uint64_t at =
                time_to_cycles(job.prepared.checkpoints.request->at, job.config.core.clock);
            job.wave->first_cycle = std::max(job.wave->first_cycle, at);
        }
    }
    return job;
}

std::unique_ptr<gdb::Server> wait_for_debugger(const Job& job, const Environment& environment) {
    std::unique_ptr<gdb::Server> server;
    try {
        server = std::make_unique<gdb::Server>(*job.gdb_port,
                                               static_cast<std::uint32_t>(job.package.target.partitions),
                                               InterruptGuard::interrupted);
    } catch (const std::runtime_error& error) {
        throw std::runtime_error(fmt::format("--gdb {}: {}", *job.gdb_port, error.what()));
    }
    environment.err << fmt::format(
        "trnsim: GpSimd core k is thread k + 1 of a debugger: target remote 127.0.0.1:{}\n", server->port());
    environment.err.flush();
    server->accept();
    return server;
}

runtime::Result simulate(runtime::Machine& machine, const Job& job, const runtime::Observer& observer,
                         runtime::NotificationLog* notifications, const Environment& environment) {
    ProgressLine line(environment.err);
    return runtime::execute(
        machine, job.package, job.prepared, observer,
        [&](const runtime::Progress& progress) {
            if (environment.shows_progress()) line.show(progress);
            return !InterruptGuard::interrupted();
        },
        notifications);
}

}  // namespace

void declare_kernel_options(CLI::App& app, RunOptions& options) {
    app.add_option("kernel", options.kernel, "A compiled kernel, .neff")->required();
    app.add_option("--config", options.config,
                   "Configuration: a name or a .yaml file, or the name of a server, on a chip of which it "
                   "runs; without it the shipped one that the kernel is built for");
    app.add_option("--input", options.inputs,
                   "Input tensor, NAME=FILE.npy; fp32 is rounded to the kernel's type")
        ->take_all()
        ->allow_extra_args(false);
    app.add_option("--random-inputs", options.random_inputs,
                   "Random contents, by this seed, of the inputs that are not given")
        ->capture_default_str();
    app.add_option("--output", options.outputs,
                   "Output tensor, NAME=FILE.npy, in the kernel's type, or NAME=FILE.npy:fp32")
        ->take_all()
        ->allow_extra_args(false);
    app.add_option("--seed", options.seed,
                   "Seed of stochastic rounding; without it NEURON_RT_STOCHASTIC_ROUNDING_SEED, else 0");
    app.add_option("--perturb", options.perturb, "Random delays and stalls everywhere, by this seed")
        ->type_name("SEED");
    app.add_option("--random-memory", options.random_memory,
                   "What HBM, SBUF and PSUM hold at first is random, by this seed, instead of zeros")
        ->type_name("SEED");
    app.add_flag(
        "--stochastic-rounding", options.stochastic_rounding,
        "Round narrowing writes stochastically; without it as NEURON_RT_STOCHASTIC_ROUNDING_EN says");
    declare_threads(app, options.threads);
}

int run_kernel(const RunOptions& options, const Environment& environment, const Finished& finished) {
    Job job = make_job(options);
    if (job.resumed) job.prepared.checkpoints.resume = &*job.resumed;
    if (const std::string unread = unread_variables(); !unread.empty() && !environment.quiet())
        environment.err << fmt::format("trnsim: set, but without effect here: {}\n", unread);
    std::optional<GoldenCheck> check;
    if (options.check || (!options.no_check && !job.resumed && !kernels::is_built_in(job.package)))
        check.emplace(job.package, job.config, job.prepared, job.perturb.value_or(0));
    if (check && !check->mistakes().empty()) {
        for (const std::string& mistake : check->mistakes())
            environment.err << fmt::format("trnsim: check of {}: {}\n", options.kernel, mistake);
        return SimulationError;
    }
    if (check && options.no_rtl) {
        environment.summary() << fmt::format("{}: {}\n", options.kernel, check->text_of_kernel());
        return Success;
    }
    const std::unique_ptr<gdb::Server> debugger =
        job.gdb_port ? wait_for_debugger(job, environment) : nullptr;
    // From the first file on: what is recorded until a signal is left whole.
    std::optional<InterruptGuard> guard(std::in_place);
    std::optional<files::OutputFile> trace_file;
    std::optional<runtime::TraceWriter> trace;
    if (!options.trace.empty()) trace.emplace(trace_file.emplace(options.trace).stream());
    std::optional<files::OutputFile> notification_file;
    std::optional<runtime::NotificationLog> notifications;
    if (!options.notifications.empty())
        notifications.emplace(notification_file.emplace(options.notifications).stream());
    std::optional<InstructionTrace> instructions;
    if (!options.itrace.empty()) instructions.emplace(options.itrace, job.itrace_core);
    std::optional<waves::Recorder> wave;
    if (job.wave) wave.emplace(*job.wave, job.package);

    runtime::Observer observer(job.package, trace ? &*trace : nullptr);
    runtime::Relay sink;
    sink.attach(&observer, wave ? wave->listener() : nullptr);
    const auto request = wave ? std::optional(wave->request()) : std::nullopt;
    auto machine = environment.machine(job.config, {.sink = &sink,
                                                    .wave = request,
                                                    .perturb = job.perturb,
                                                    .random_memory = job.random_memory,
                                                    .fidelity = job.fidelity,
                                                    .switches = options.checkpoints.switches(),
                                                    .threads = job.threads,
                                                    .gpsimd = instructions ? &instructions->log : nullptr,
                                                    .debugger = debugger.get()});
    runtime::Result result;
    try {
        result = simulate(*machine, job, observer, notifications ? &*notifications : nullptr, environment);
    } catch (const tlm::SimulationError& error) {
        environment.err << fmt::format("trnsim: {}\n", error.what());
        if (instructions) instructions->commit();
        if (debugger) debugger->finish(SimulationError);
        return SimulationError;
    }
    if (debugger) debugger->finish(result.done() ? Success : SimulationError);
    guard.reset();
    const std::string wave_failure = machine->close_wave();

    if (environment.verbose()) {
        environment.out << fmt::format("{}: {}\n", options.kernel, origin_of(job.package));
        environment.out << fmt::format("configuration {}: {}\n", job.config.name,
                                       config::resolve(config_of(options, job.package)).string());
        environment.out << (result.fidelity == runtime::Fidelity::Fast
                                ? "core of fidelity fast\n"
                                : fmt::format("core {}, Verilator {}\n", result.core.rtl_hash,
                                              result.core.verilator));
    }
    for (const std::string& line : result.printed) environment.out << line << '\n';
    environment.summary() << runtime::summary(result, job.package, job.config, job.tables);
    const auto wrote = [&environment](const char* what, const std::string& path) {
        environment.summary() << fmt::format("  {:<18} {}\n", what, path);
    };
    if (!job.random_inputs.empty()) {
        environment.summary() << fmt::format("  {:<18} {} (seed {})\n", "random inputs",
                                             fmt::join(job.random_inputs, ", "), *options.random_inputs);
    }
    if (result.checkpoint && options.checkpoints.saves())
        wrote("checkpoint", options.checkpoints.save_checkpoint);
    std::vector<std::string> problems;
    if (result.done() && job.prepared.checkpoints.request && !result.checkpoint)
        problems.push_back(checkpoint_missed(options.checkpoints));
    if (!result.done()) problems.push_back(result.message);
    if (result.done() && check) {
        for (std::string& problem : check->problems(result.outputs)) problems.push_back(std::move(problem));
    }
    if (result.done() && job.fail_on_nan && result.figures.numeric.engines != 0)
        problems.emplace_back("completed with numeric error (NaN)");
    for (const std::string& problem : problems) environment.err << fmt::format("trnsim: {}\n", problem);
    const bool good = problems.empty();
    const std::vector<std::string> unexpected =
        result.done() ? disagreements(job, result.outputs) : std::vector<std::string>{};
    for (const std::string& line : unexpected) environment.err << fmt::format("trnsim: {}\n", line);
    if (good && unexpected.empty() && !job.expected.empty()) {
        std::vector<std::string> names;
        names.reserve(job.expected.size());
        for (const auto& [name, array] : job.expected) names.push_back(name);
        wrote("expected", fmt::format("{} as expected (rtol {:g}, atol {:g})", fmt::join(names, ", "),
                                      job.tolerance.relative, job.tolerance.absolute));
    }
    if (good && check) wrote("check", check->text() + (options.check ? "" : "; --no-check leaves it out"));
    if (good && options.no_check) wrote("check", "none, as --no-check says");
    // The smaller first: what fits on a full disk is there.
    for (const neff::Tensor& tensor : job.package.tensors) {
        const auto output = job.outputs.find(tensor.name);
        if (!good || output == job.outputs.end()) continue;
        const auto& [path, as_fp32] = output->second;
        const npy::Array& array = result.outputs.at(tensor.name);
        npy::write(path, as_fp32 ? loader::as_fp32(tensor, array) : array);
        wrote(fmt::format("output {}", tensor.name).c_str(), path.string());
    }
    if (!options.stats.empty()) {
        files::write(options.stats, runtime::to_json(result, job.package, job.config, job.tables));
        wrote("statistics", options.stats);
    }
    if (trace) {
        trace->finish();
        trace_file->commit();
        wrote("trace", options.trace);
    }
    if (instructions) {
        instructions->commit();
        wrote("instructions", options.itrace);
    }
    if (notifications) {
        notification_file->commit();
        wrote("notifications", options.notifications);
    }
    const bool recorded = !options.checkpoints.switches() || result.checkpoint;
    if (wave && recorded) {
        const auto view = wave->commit(wave_failure, waves::run_of(result, job.config));
        wrote("wave", options.wave);
        wrote("view", view.string());
    }
    if (good && finished) finished(job.package, job.config, result);
    if (good) return unexpected.empty() ? Success : SimulationError;
    if (!result.done() && !options.wave_on_error.empty() &&
        record_error(options, result, job.config, environment))
        wrote("wave of the error", options.wave_on_error);
    return SimulationError;
}

}  // namespace trnsim::cli
