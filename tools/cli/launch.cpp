#include "tools/cli/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/files/files.hpp"
#include "base/jobs/shared_flag.hpp"
#include "compiler/neff/neff.hpp"
#include "compiler/neff/sizes.hpp"
#include "model/processes/mpi.hpp"
#include "model/processes/run.hpp"
#include "model/simulation/simulation.hpp"
#include "model/system/load_server.hpp"
#include "runtime/session/report.hpp"
#include "runtime/session/server_session.hpp"
#include "runtime/session/statistics.hpp"
#include "runtime/waves/server_recording.hpp"
#include "testbench/trial/ranks.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/launch_files.hpp"
#include "tools/cli/run_options.hpp"
#include "tools/cli/signals.hpp"
#include "tools/command/progress_line.hpp"

namespace trnsim::cli {
namespace {

using Json = nlohmann::ordered_json;
using Packages = std::vector<std::shared_ptr<const neff::Package>>;  // by rank

std::uint32_t ranks_of(const LaunchOptions& options, const neff::Package& first) {
    if (options.ranks) return *options.ranks;
    if (options.kernels.size() > 1) return static_cast<std::uint32_t>(options.kernels.size());
    if (const auto ranks = neff::ranks_of(first)) return *ranks;
    throw std::runtime_error(fmt::format(
        "{}: it has no collectives that tell how many ranks, expected --ranks", options.kernels[0]));
}

Packages read_packages(const LaunchOptions& options) {
    Packages packages;
    for (const std::string& kernel : options.kernels)
        packages.push_back(std::make_shared<const neff::Package>(neff::read(kernel)));
    const std::uint32_t ranks = ranks_of(options, *packages.front());
    if (packages.size() != 1 && packages.size() != ranks)
        throw std::runtime_error(
            fmt::format("{} kernels of {} ranks, expected 1 or {}", packages.size(), ranks, ranks));
    packages.resize(ranks, packages.front());
    return packages;
}

config::Server read_server(const LaunchOptions& options, std::uint32_t ranks) {
    config::Server server = tlm::load_server(options.server);
    if (!options.chip.empty()) {
        server.chip = config::load(options.chip);
        server.chip_name = options.chip;
    }
    server = runtime::for_ranks(std::move(server), ranks, options.rtl_ranks);
    if (!options.checkpoints.switches()) return server;
    const auto has_rtl = [](const config::SlotKinds& chip) {
        return std::ranges::find(chip, config::CoreKind::Rtl) != chip.end();
    };
    if (std::ranges::none_of(server.slots, has_rtl)) {
        for (config::SlotKinds& chip : server.slots)
            std::ranges::replace(chip, config::CoreKind::Fast, config::CoreKind::Rtl);
    }
    return server;
}

void check_checkpoints(const LaunchOptions& options) {
    check_checkpoint_options(options.checkpoints, {{"--perturb", options.perturb.has_value()}},
                             {{"--input", !options.inputs.empty()},
                              {"--random-inputs", options.random_inputs.has_value()},
                              {"--seed", options.seed.has_value()},
                              {"--stochastic-rounding", options.stochastic_rounding},
                              {"--check", options.check}});
}

std::uint64_t instructions_of(const runtime::Figures& figures) {
    std::uint64_t sum = 0;
    for (const tlm::EngineStatistics& engine : figures.engine) sum += engine.completed;
    return sum;
}

std::string row(const std::string& what, const std::string& text) {
    return fmt::format("  {:<18} {}\n", what, text);
}

// Kernels and files, checked.
struct Job {
    const LaunchOptions& options;
    Packages packages;
    LaunchFiles files;
    std::vector<runtime::Arrays> inputs;  // by rank
    runtime::ServerExecuteOptions how;
    bool fail_on_nan = false;
    tlm::perturb::Seed perturb{};
    std::optional<checkpoint::SystemState> resumed{};
    waves::ServerRecordingFiles recording{};
    jobs::SharedFlag interrupted{};  // of all processes

    std::uint32_t ranks() const { return static_cast<std::uint32_t>(packages.size()); }
};

// What a process tells of the ranks that it has.
Json report_of(const runtime::ServerSession& session, const Job& job, const runtime::ServerResult& result) {
    const estimates::Tables tables = estimates::load_tables();
    Json ranks = Json::object();
    for (std::uint32_t rank = 0; rank < job.ranks(); ++rank) {
        const runtime::RankResult& one = result.ranks[rank];
        if (!one.here) continue;
        Json& json = ranks[std::to_string(rank)];
        json["text"] = fmt::format("{}, {}: {} instructions, {} bytes by DMA", addresses::name_of(one.core),
                                   runtime::name_of(one.fidelity), instructions_of(one.figures),
                                   one.figures.dma_bytes());
        json["printed"] = one.printed;
        if (job.options.stats.empty()) continue;
        json["figures"] = Json::parse(
            runtime::to_json(result.of(rank), *job.packages[rank], session.server().chip, tables));
    }
    return ranks;
}

// Of hardware, with the status that libnrt has for it.
std::string failure_of(const runtime::ServerResult& result) {
    if (result.status < Status::ExecCollectives) return result.message;
    return fmt::format("status {}: {}", static_cast<int>(result.status), result.message);
}

// Executes the kernels and writes the outputs of the ranks that are here. Returns what all processes tell.
std::string execute(const Job& job, tlm::processes::Exchange& exchange, const Environment& environment) {
    const CheckpointOptions& checkpoints = job.options.checkpoints;
    runtime::ServerSession session(read_server(job.options, job.ranks()), {}, &exchange, job.perturb,
                                   checkpoints.switches());
    session.load(job.packages);
    const auto begin = std::chrono::steady_clock::now();
    runtime::ServerResult result = [&] {
        ProgressLine line(environment.err);
        runtime::ServerExecuteOptions how = job.how;
        const bool shows = environment.shows_progress() && exchange.rank() == 0;
        how.checkpoints.request = parse_checkpoint(checkpoints, session.server().chip.core.clock);
        if (job.resumed) how.checkpoints.resume = &*job.resumed;
        how.progress = [&](const runtime::Progress& progress) {
            if (shows) line.show(progress);
            return !job.interrupted.raised();
        };
        return waves::execute(session, job.inputs, how, job.recording);
    }();
    const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    for (runtime::RankResult& rank : result.ranks) rank.figures.wall_seconds = wall;
    std::vector<std::string> wrong;
    if (!result.done()) wrong.push_back(failure_of(result));
    if (result.done() && job.options.check) wrong = trial::differences(session, job.inputs, result);
    if (result.done() && (checkpoints.switches() || checkpoints.saves()) && !result.checkpoint)
        wrong.push_back(checkpoint_missed(checkpoints));
    if (job.fail_on_nan && result.status == Status::ExecCompletedWithNumericError)
        wrong.emplace_back("completed with numeric error (NaN)");

    Json report{{"server", session.server().name},
                {"time_seconds", static_cast<double>(result.time) * 1e-15},
                {"wall_seconds", wall},
                {"collectives", Json::array()},
                {"ranks", Json::object()},
                {"wrong", Json::array()},
                {"checkpoint", runtime::checkpoint_summary(result.resumed, result.checkpoint)}};
    for (const runtime::Collectives::Call& call : session.collectives().calls()) {
        const neff::Transfer& transfer = session.collectives().transfer(call);
        report["collectives"].push_back({{"name", transfer.name},
                                         {"algorithm", collectives::name(call.algorithm)},
                                         {"times", call.times},
                                         {"input_bytes", neff::moved_bytes(transfer)},
                                         {"output_bytes", neff::written_bytes(transfer)}});
    }
    const Json own{{"ranks", report_of(session, job, result)}, {"wrong", wrong}};
    for (const std::string& text : session.texts(own.dump())) {
        const Json other = Json::parse(text);
        report["ranks"].update(other["ranks"]);
        for (const Json& line : other["wrong"]) {
            if (std::ranges::find(report["wrong"], line) == report["wrong"].end())
                report["wrong"].push_back(line);
        }
    }
    if (!report["wrong"].empty()) return report.dump();
    for (std::uint32_t rank = 0; rank < job.ranks(); ++rank) {
        if (session.here(rank))
            write_outputs(*job.packages[rank], job.files, rank, result.ranks[rank].outputs);
    }
    return report.dump();
}

// In its processes. A signal that was noted ends the run as a limit of time does.
std::string simulate(Job& job, const Environment& environment) {
    const auto work = [&](tlm::processes::Exchange& exchange) {
        try {
            return execute(job, exchange, environment);
        } catch (const tlm::SimulationError& error) {
            throw tlm::processes::Failure(error.what());
        }
    };
    return tlm::processes::run(job.options.processes, work, [&job] {
        if (InterruptGuard::interrupted()) job.interrupted.raise();
        return true;
    });
}

std::string summary(const Job& job, const Json& report) {
    std::string text = fmt::format("kernel '{}' on {} ranks of {}\n", job.packages.front()->name, job.ranks(),
                                   report["server"].get<std::string>());
    text += row("simulated time", fmt::format("{:.3f} us", report["time_seconds"].get<double>() * 1e6));
    text += report["checkpoint"].get<std::string>();
    text += row("wall time", fmt::format("{:.2f} s", report["wall_seconds"].get<double>()));
    std::size_t number = 0;
    for (const Json& one : report["collectives"])
        text += row(
            fmt::format("collective {}", number++),
            fmt::format(
                "{}: {}, {} bytes{}", one["name"].get<std::string>(), one["algorithm"].get<std::string>(),
                std::max(one["input_bytes"].get<std::uint64_t>(), one["output_bytes"].get<std::uint64_t>()),
                one["times"] == 1 ? "" : fmt::format(", {} times", one["times"].get<std::uint32_t>())));
    for (std::uint32_t rank = 0; rank < job.ranks(); ++rank)
        text += row(fmt::format("rank {}", rank),
                    report["ranks"][std::to_string(rank)]["text"].get<std::string>());
    return text;
}

std::string statistics(const Job& job, Json report) {
    Json ranks = Json::array();
    for (std::uint32_t rank = 0; rank < job.ranks(); ++rank)
        ranks.push_back(std::move(report["ranks"][std::to_string(rank)]["figures"]));
    report["ranks"] = std::move(ranks);
    report.erase("wrong");
    report.erase("checkpoint");
    return report.dump(2) + "\n";
}

// What `trnsim run` has as well.
RunOptions run_options(const LaunchOptions& options) {
    RunOptions run;
    run.seed = options.seed;
    run.perturb = options.perturb;
    run.max_time = options.max_time;
    run.fail_on_nan = options.fail_on_nan;
    if (options.stochastic_rounding) run.stochastic_rounding = "true";
    return run;
}

}  // namespace

int launch(const LaunchOptions& options, const Environment& environment) {
    // Each of them would simulate the whole server and write the same files.
    if (const unsigned started = tlm::processes::mpi_processes(); started != 1)
        throw std::runtime_error(
            fmt::format("launch: found {} processes, which mpirun has started, expected one, which starts "
                        "others with --processes",
                        started));
    check_checkpoints(options);
    const RunOptions run = run_options(options);
    Job job{options,
            read_packages(options),
            {parse_bindings("--input", options.inputs), parse_outputs(options.outputs)},
            {},
            {.rounding = parse_rounding(run), .max_time = parse_max_time(run)},
            parse_fail_on_nan(run),
            parse_perturb(run)};
    check_files(options, job.files, job.ranks());
    check_outputs(job.files, job.packages);
    job.resumed = read_checkpoint(options.checkpoints);
    for (std::uint32_t rank = 0; rank < job.ranks(); ++rank)
        job.inputs.push_back(inputs_of(*job.packages[rank], job.files, rank, options.random_inputs));
    const InterruptGuard guard;  // from the first file on: what is recorded until a signal is left whole
    waves::ServerRecordingOutputs recorded(options.trace, options.wave);
    job.recording = recorded.files();
    const Json report = Json::parse(simulate(job, environment));
    recorded.commit();
    if (!report["wrong"].empty()) {
        for (const Json& line : report["wrong"])
            environment.err << fmt::format("trnsim: {}\n", line.get<std::string>());
        return SimulationError;
    }
    for (std::uint32_t rank = 0; rank < job.ranks(); ++rank) {
        for (const Json& line : report["ranks"][std::to_string(rank)]["printed"])
            environment.out << fmt::format("rank {}: {}\n", rank, line.get<std::string>());
    }
    environment.summary() << summary(job, report);
    if (options.check)
        environment.summary() << row("check",
                                     "outputs of all ranks equal to the interpreter's bit for bit, no races");
    for (const auto& [name, file] : job.files.outputs)
        environment.summary() << row(fmt::format("output {}", name), file.path.string());
    if (!options.stats.empty()) files::write(options.stats, statistics(job, report));
    for (const auto& [what, path] : {std::pair<const char*, const std::string&>{"statistics", options.stats},
                                     {"checkpoint", options.checkpoints.save_checkpoint},
                                     {"trace", options.trace},
                                     {"wave", options.wave}})
        if (!path.empty()) environment.summary() << row(what, path);
    return Success;
}

}  // namespace trnsim::cli
