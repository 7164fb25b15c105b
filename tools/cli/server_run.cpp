#include "tools/cli/server_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/files/files.hpp"
#include "base/jobs/shared_flag.hpp"
#include "base/numbers/numbers.hpp"
#include "compiler/neff/sizes.hpp"
#include "compiler/neff/unwritten.hpp"
#include "model/processes/mpi.hpp"
#include "model/processes/run.hpp"
#include "model/simulation/simulation.hpp"
#include "runtime/communicator/server_statistics.hpp"
#include "runtime/session/collectives.hpp"
#include "runtime/session/estimates.hpp"
#include "runtime/session/report.hpp"
#include "runtime/session/session.hpp"
#include "runtime/session/statistics.hpp"
#include "runtime/session/unwritten.hpp"
#include "runtime/session/unwritten_moves.hpp"
#include "runtime/waves/recorder.hpp"
#include "runtime/waves/run.hpp"
#include "runtime/waves/server_recording.hpp"
#include "testbench/trial/ranks.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/signals.hpp"
#include "tools/command/progress_line.hpp"

namespace trnsim::cli {
namespace {

using Json = nlohmann::ordered_json;

std::uint64_t instructions_of(const runtime::Figures& figures) {
    std::uint64_t sum = 0;
    for (const tlm::EngineStatistics& engine : figures.engine) sum += engine.completed;
    return sum;
}

std::string row(const std::string& what, const std::string& text) {
    return fmt::format("  {:<18} {}\n", what, text);
}

// Returns a line about a rank of this process; empty if it has read no unwritten words.
std::string unwritten_reads_of(const RunRequest& request, const runtime::Results& results,
                               std::uint32_t rank) {
    if (!results.ranks[rank].here) return "";
    const std::string reads = runtime::unwritten_reads(results.ranks[rank].figures, *request.packages[rank]);
    return reads.empty() ? "" : fmt::format("rank {}: {}", rank, reads);
}

// Returns the report of a process about its ranks.
Json report_of(const runtime::Session& session, const RunRequest& request, const runtime::Results& results,
               const estimates::Tables& tables) {
    Json ranks = Json::object();
    for (std::uint32_t rank = 0; rank < request.ranks(); ++rank) {
        const runtime::RankResult& one = results.ranks[rank];
        if (!one.here) continue;
        Json& json = ranks[std::to_string(rank)];
        json["text"] = fmt::format("{}, {}: {} instructions, {} bytes by DMA",
                                   addresses::name_of(one.core_id), runtime::name_of(one.fidelity),
                                   instructions_of(one.figures), one.figures.dma_bytes());
        json["printed"] = one.printed;
        json["unwritten"] = unwritten_reads_of(request, results, rank);
        if (request.options.stats.empty()) continue;
        json["figures"] = Json::parse(
            runtime::to_json(results.of(rank), *request.packages[rank], session.config(), tables));
    }
    return ranks;
}

// Describes a failure; one of the hardware has the status that libnrt gives for it.
std::string failure_of(const runtime::Results& results) {
    if (results.status < Status::ExecCollectives) return results.message;
    return fmt::format("status {}: {}", static_cast<int>(results.status), results.message);
}

// Runs the kernels on a server, in one of the processes that simulate it.
class ServerRun {
  public:
    ServerRun(const RunRequest& request, const waves::ServerRecordingFiles& files,
              const jobs::SharedFlag& interrupted, tlm::processes::Exchange& exchange,
              const Environment& environment)
        : request_(request),
          files_(files),
          interrupted_(interrupted),
          environment_(environment),
          leads_(exchange.rank() == 0),
          session_(*request.server, {}, device_of(request, exchange)),
          model_(session_.load(request.packages)) {}

    // Writes the outputs of the ranks of this process. Returns the reports of all processes.
    std::string run() {
        results_ = simulate();
        const std::vector<std::string> wrong = judge();
        Json report = this->report();
        gather(report, wrong);
        if (!report["wrong"].empty()) return report.dump();
        for (std::uint32_t rank = 0; rank < request_.ranks(); ++rank) {
            if (session_.here(rank))
                write_outputs(*request_.packages[rank], request_.files, rank, results_.ranks[rank].outputs);
        }
        return report.dump();
    }

  private:
    static runtime::MachineOptions device_of(const RunRequest& request, tlm::processes::Exchange& exchange) {
        runtime::MachineOptions device = request.device;
        device.exchange = &exchange;
        return device;
    }

    runtime::Results simulate() {
        ProgressLine line(environment_.err);
        const bool shows = environment_.shows_progress() && leads_;
        runtime::Run run = request_.with_state();
        run.takes_outputs = true;
        run.progress = [&](const runtime::Progress& progress) {
            if (shows) line.show(progress);
            return !interrupted_.raised();
        };
        std::optional<waves::Recorder> wave;
        if (request_.wave && session_.here(request_.wave->rank)) {
            const std::uint32_t rank = request_.wave->rank;
            wave.emplace(*request_.wave, *request_.packages[rank], session_.core(rank),
                         session_.config().core.clock);
            run.wave = wave->request();
            run.listener = wave->listener();
        }
        runtime::Results results = waves::execute(session_, model_, request_.inputs, run, files_);
        if (wave && (!request_.device.switches || results.checkpoint))
            wave->commit("", waves::run_of(results.of(request_.wave->rank), session_.config()));
        return results;
    }

    // Returns what is wrong with the run, a line each.
    std::vector<std::string> judge() {
        std::vector<std::string> lines;
        if (!results_.done()) lines.push_back(failure_of(results_));
        if (results_.done() && request_.options.check) {
            const auto begin = std::chrono::steady_clock::now();
            lines = check();
            check_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        }
        for (std::string& line : shortcomings(request_, results_, first_nan()))
            lines.push_back(std::move(line));
        for (std::uint32_t rank = 0; request_.options.fail_on_unwritten && rank < request_.ranks(); ++rank) {
            const std::string reads = unwritten_reads_of(request_, results_, rank);
            if (!reads.empty()) lines.push_back(reads);
        }
        return lines;
    }

    // Returns the first instruction that wrote a NaN, of the first such rank of this process; empty: none.
    std::string first_nan() const {
        for (std::uint32_t rank = 0; rank < request_.ranks(); ++rank) {
            if (!results_.ranks[rank].here) continue;
            const std::string first =
                runtime::first_nan(results_.ranks[rank].figures, *request_.packages[rank]);
            if (!first.empty()) return fmt::format("rank {}: {}", rank, first);
        }
        return "";
    }

    // Compares the outputs with the interpreter's. Returns the differences, a line each.
    std::vector<std::string> check() const {
        functional::Limits limits = request_.limits;
        limits.interrupted = [this] { return interrupted_.raised() || InterruptGuard::interrupted(); };
        try {
            return trial::differences(session_, model_, request_.inputs, results_, limits);
        } catch (const functional::Interrupted& error) {
            return {error.what()};
        }
    }

    Json report() const {
        double wall_seconds = 0;
        for (const runtime::RankResult& rank : results_.ranks)
            wall_seconds = std::max(wall_seconds, rank.figures.wall_seconds);
        Json report{{"server", session_.server().name},
                    {"time_seconds", static_cast<double>(results_.time) * 1e-15},
                    {"wall_seconds", wall_seconds},
                    {"check_seconds", 0.0},
                    {"energy_joules", 0.0},
                    {"macs", 0.0},
                    {"collectives", Json::array()},
                    {"ranks", Json::object()},
                    {"wrong", Json::array()},
                    {"checkpoint", runtime::checkpoint_summary(results_.resumed, results_.checkpoint)}};
        const runtime::Collectives& collectives = session_.collectives(model_);
        for (const runtime::Collectives::Call& call : collectives.calls()) {
            const neff::Transfer& transfer = collectives.transfer(call);
            report["collectives"].push_back({{"name", transfer.name},
                                             {"algorithm", collectives::name(call.algorithm)},
                                             {"times", call.times},
                                             {"input_bytes", neff::moved_bytes(transfer)},
                                             {"output_bytes", neff::written_bytes(transfer)}});
        }
        return report;
    }

    // Gathers the reports of all processes, which all take part.
    void gather(Json& report, const std::vector<std::string>& wrong) {
        report["links"] = Json::parse(communicator::server_statistics(session_.linked_server())).at("links");
        const estimates::Tables tables = estimates::load_tables();
        double macs = 0;
        for (const runtime::RankResult& rank : results_.ranks)
            if (rank.here) macs += static_cast<double>(rank.figures.work.all_macs());
        const Json own{
            {"ranks", report_of(session_, request_, results_, tables)},
            {"wrong", wrong},
            {"check_seconds", check_seconds_},
            {"energy_joules", runtime::energy_of_ranks(results_, session_.config(), tables).joules},
            {"macs", macs}};
        const auto add = [&report](const Json& other, const char* name) {
            report[name] = report[name].get<double>() + other[name].get<double>();
        };
        for (const std::string& text : session_.texts(own.dump())) {
            const Json other = Json::parse(text);
            report["ranks"].update(other["ranks"]);
            add(other, "energy_joules");
            add(other, "macs");
            report["check_seconds"] =
                std::max(report["check_seconds"].get<double>(), other["check_seconds"].get<double>());
            for (const Json& line : other["wrong"]) {
                if (std::ranges::find(report["wrong"], line) == report["wrong"].end())
                    report["wrong"].push_back(line);
            }
        }
    }

    const RunRequest& request_;
    const waves::ServerRecordingFiles& files_;
    const jobs::SharedFlag& interrupted_;
    const Environment& environment_;
    bool leads_;
    runtime::Session session_;
    runtime::ModelId model_;
    runtime::Results results_;
    double check_seconds_ = 0;  // of wall time
};

// Simulates in several processes. A noted signal ends the run like a time limit.
Json simulate(const RunRequest& request, const waves::ServerRecordingFiles& files,
              const Environment& environment) {
    jobs::SharedFlag interrupted;  // shared by all processes
    const auto work = [&](tlm::processes::Exchange& exchange) {
        try {
            return ServerRun(request, files, interrupted, exchange, environment).run();
        } catch (const tlm::SimulationError& error) {
            throw tlm::processes::Failure(error.what());
        }
    };
    return Json::parse(tlm::processes::run(request.options.server->processes, work, [&interrupted] {
        if (InterruptGuard::interrupted()) interrupted.raise();
        return true;
    }));
}

// Returns a line for each output of a rank with elements that no transfer of its kernel writes.
std::vector<std::string> unwritten_outputs(const RunRequest& request) {
    std::vector<std::string> lines;
    for (std::uint32_t rank = 0; rank < request.ranks(); ++rank) {
        const neff::Package& package = *request.packages[rank];
        if (rank != 0 && request.packages[rank] == request.packages[0]) continue;  // one kernel for all
        for (const neff::UnwrittenOutput& output : neff::unwritten_outputs(package))
            lines.push_back(fmt::format("rank {}: {}", rank, neff::describe(package, output)));
    }
    return lines;
}

// Returns a line for each transfer of a rank that moves what nothing has written, unless the interpreter looks for
// them.
std::vector<std::string> unwritten_moves(const RunRequest& request) {
    std::vector<std::string> lines;
    if (request.options.check || request.resumed) return lines;
    for (std::uint32_t rank = 0; rank < request.ranks(); ++rank) {
        if (rank != 0 && request.packages[rank] == request.packages[0]) continue;  // one kernel for all
        for (const std::string& line : runtime::unwritten_moves(*request.packages[rank]))
            lines.push_back(fmt::format("rank {}: {}", rank, line));
    }
    return lines;
}

// Returns what the faults of links have done, e.g. "outages 2, repeated packets 13"; empty: nothing.
std::string text_of_faults(const Json& links) {
    // An outage is that of a cable, whose two directions both count it.
    struct Count {
        const char *key, *name;
        std::uint64_t directions;
    };
    constexpr std::array Counts{Count{"outages", "outages", 2},
                                Count{"given_up", "given up", 2},
                                Count{"damaged_frames", "damaged frames", 1},
                                Count{"dropped_frames", "lost frames", 1},
                                Count{"repeated_packets", "repeated packets", 1},
                                Count{"lost_packets", "lost packets", 1}};
    std::string text;
    for (const Count& count : Counts) {
        std::uint64_t sum = 0;
        for (const Json& link : links) sum += link.at("sent").at(count.key).get<std::uint64_t>();
        if (sum != 0)
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count.name, sum / count.directions);
    }
    return text;
}

std::string summary(const RunRequest& request, const Json& report) {
    std::string text = fmt::format("kernel '{}' on {} ranks of {}\n", request.package().name, request.ranks(),
                                   report["server"].get<std::string>());
    text += row("simulated time", fmt::format("{:.3f} us", report["time_seconds"].get<double>() * 1e6));
    text += report["checkpoint"].get<std::string>();
    const double seconds = report["time_seconds"], joules = report["energy_joules"],
                 check = report["check_seconds"];
    text += row("energy",
                runtime::format_energy({.joules = joules,
                                        .average_watts = ratio(joules, seconds),
                                        .joules_per_mac = ratio(joules, report["macs"].get<double>())}) +
                    " of all ranks, without links");
    text += row("wall time", fmt::format("{:.2f} s{}", report["wall_seconds"].get<double>() + check,
                                         check == 0 ? "" : fmt::format(", {:.2f} s of it the check", check)));
    if (const std::string faults = text_of_faults(report["links"]); !faults.empty())
        text += row("links", faults);
    std::size_t number = 0;
    for (const Json& one : report["collectives"])
        text += row(
            fmt::format("collective {}", number++),
            fmt::format(
                "{}: {}, {} bytes{}", one["name"].get<std::string>(), one["algorithm"].get<std::string>(),
                std::max(one["input_bytes"].get<std::uint64_t>(), one["output_bytes"].get<std::uint64_t>()),
                one["times"] == 1 ? "" : fmt::format(", {} times", one["times"].get<std::uint32_t>())));
    for (std::uint32_t rank = 0; rank < request.ranks(); ++rank)
        text += row(fmt::format("rank {}", rank),
                    report["ranks"][std::to_string(rank)]["text"].get<std::string>());
    return text;
}

std::string statistics(const RunRequest& request, Json report) {
    Json ranks = Json::array();
    for (std::uint32_t rank = 0; rank < request.ranks(); ++rank)
        ranks.push_back(std::move(report["ranks"][std::to_string(rank)]["figures"]));
    report["ranks"] = std::move(ranks);
    for (const char* name : {"wrong", "macs"}) report.erase(name);
    report["wall_seconds"] = report["wall_seconds"].get<double>() + report["check_seconds"].get<double>();
    report.erase("checkpoint");
    return report.dump(2) + "\n";
}

void write_statistics(const RunRequest& request, const Json& report) {
    if (!request.options.stats.empty()) files::write(request.options.stats, statistics(request, report));
}

void show(const RunRequest& request, const Json& report, const Environment& environment) {
    const RunOptions& options = request.options;
    for (std::uint32_t rank = 0; rank < request.ranks(); ++rank) {
        for (const Json& line : report["ranks"][std::to_string(rank)]["printed"])
            environment.out << fmt::format("rank {}: {}\n", rank, line.get<std::string>());
        const auto reads = report["ranks"][std::to_string(rank)]["unwritten"].get<std::string>();
        if (!reads.empty() && !environment.quiet())
            environment.err << fmt::format("trnsim: warning: {}\n", reads);
    }
    environment.summary() << summary(request, report);
    if (options.check)
        environment.summary() << row("check",
                                     "outputs of all ranks equal to the interpreter's bit for bit, no races");
    for (const auto& [name, file] : request.files.outputs)
        environment.summary() << row(fmt::format("output {}", name), file.path.string());
    write_statistics(request, report);
    for (const auto& [what, path] : {std::pair<const char*, const std::string&>{"statistics", options.stats},
                                     {"checkpoint", options.checkpoints.save_checkpoint},
                                     {"trace", options.trace},
                                     {"wave", options.wave}})
        if (!path.empty()) environment.summary() << row(what, path);
}

}  // namespace

void expect_one_process() {
    if (const unsigned started = tlm::processes::mpi_processes(); started != 1)
        throw std::runtime_error(
            fmt::format("launch: found {} processes, which mpirun has started, expected one, which starts "
                        "others with --processes",
                        started));
}

int run_on_server(const RunRequest& request, const Environment& environment) {
    if (const std::vector<std::string> lines = unwritten_outputs(request); !lines.empty()) {
        for (const std::string& line : lines) environment.err << fmt::format("trnsim: {}\n", line);
        return SimulationError;
    }
    if (const std::vector<std::string> lines = unwritten_moves(request); !lines.empty()) {
        report_moves(lines, request.options, environment);
        if (request.options.fail_on_unwritten) return SimulationError;
    }
    const InterruptGuard guard;  // a signal leaves the recordings so far whole
    // The waves of a core are a separate recording.
    waves::ServerRecordingOutputs recorded(request.options.trace, request.wave ? "" : request.options.wave);
    const Json report = simulate(request, recorded.files(), environment);
    recorded.commit();
    if (report["wrong"].empty()) {
        show(request, report, environment);
        return Success;
    }
    write_statistics(request, report);
    if (!request.options.stats.empty()) environment.summary() << row("statistics", request.options.stats);
    for (const Json& line : report["wrong"])
        environment.err << fmt::format("trnsim: {}\n", line.get<std::string>());
    return SimulationError;
}

}  // namespace trnsim::cli
