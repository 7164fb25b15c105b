#include "tools/cli/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "lib/base/files/files.hpp"
#include "lib/base/files/roles.hpp"
#include "lib/neff/neff.hpp"
#include "lib/neff/sizes.hpp"
#include "lib/npy/npy.hpp"
#include "lib/runtime/server_session.hpp"
#include "lib/runtime/statistics.hpp"
#include "lib/runtime/tensor_io.hpp"
#include "testbench/trial/inputs.hpp"
#include "testbench/trial/ranks.hpp"
#include "tlm/processes/run.hpp"
#include "tlm/system/load_server.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/run_options.hpp"

namespace trnsim::cli {
namespace {

constexpr std::string_view RankMark = "{rank}";

using Json = nlohmann::ordered_json;
using Packages = std::vector<std::shared_ptr<const neff::Package>>;  // by rank
using Bindings = std::map<std::string, std::filesystem::path>;
using Outputs = std::map<std::string, OutputFile>;

std::filesystem::path of_rank(const std::filesystem::path& path, std::uint32_t rank) {
    std::string text = path.string();
    for (std::size_t at = 0; (at = text.find(RankMark, at)) != std::string::npos;)
        text.replace(at, RankMark.size(), std::to_string(rank));
    return text;
}

bool has_mark(const std::filesystem::path& path) {
    return path.string().find(RankMark) != std::string::npos;
}

// Ranks of the kernel's collectives; none: it has no collectives.
std::optional<std::uint32_t> ranks_of(const neff::Package& package) {
    for (const neff::Transfer& transfer : package.transfers)
        if (transfer.collective) return transfer.collective->request.ranks;
    return std::nullopt;
}

std::uint32_t ranks_of(const LaunchOptions& options, const neff::Package& first) {
    if (options.ranks) return *options.ranks;
    if (options.kernels.size() > 1) return static_cast<std::uint32_t>(options.kernels.size());
    if (const auto ranks = ranks_of(first)) return *ranks;
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
    std::uint32_t rank = 0;
    for (config::SlotKinds& chip : server.slots) {
        for (config::CoreKind& slot : chip) {
            const bool rtl = std::ranges::find(options.rtl_ranks, rank) != options.rtl_ranks.end();
            slot = rank >= ranks ? config::CoreKind::None
                   : rtl         ? config::CoreKind::Rtl
                                 : config::CoreKind::Fast;
            ++rank;
        }
    }
    for (const std::uint32_t wanted : options.rtl_ranks) {
        if (wanted >= ranks)
            throw std::runtime_error(fmt::format("--rtl-ranks {}: expected ranks below {}", wanted, ranks));
    }
    return server;
}

// No file has two uses, outputs of ranks are files of their own, and all that are to be written can be.
void check_files(const LaunchOptions& options, const Bindings& inputs, const Outputs& outputs,
                 std::uint32_t ranks) {
    files::Roles roles;
    for (const std::string& kernel : options.kernels) roles.add_input("the kernel", kernel);
    for (const auto& [name, path] : inputs) {
        for (std::uint32_t rank = 0; rank < (has_mark(path) ? ranks : 1); ++rank)
            roles.add_input(fmt::format("--input {}", name), of_rank(path, rank));
    }
    for (const auto& [name, file] : outputs) {
        const std::filesystem::path& path = file.path;
        if (ranks > 1 && !has_mark(path))
            throw std::runtime_error(
                fmt::format("--output {}={}: expected {} in the name, for the files of {} "
                            "ranks",
                            name, path.string(), RankMark, ranks));
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            roles.add_output(fmt::format("--output {}", name), of_rank(path, rank));
            files::check_writable(of_rank(path, rank));
        }
    }
    if (options.stats.empty()) return;
    roles.add_output("--stats", options.stats);
    files::check_writable(options.stats);
}

runtime::Arrays inputs_of(const neff::Package& package, const Bindings& bindings, std::uint32_t rank,
                          const std::optional<std::uint64_t>& seed) {
    runtime::Arrays arrays;
    for (const auto& [name, path] : bindings) arrays.emplace(name, npy::read(of_rank(path, rank)));
    for (const neff::Tensor& tensor : package.tensors) {
        if (seed && neff::is_input(tensor.kind) && !arrays.contains(tensor.name))
            arrays.emplace(tensor.name,
                           runtime::from_device(tensor, trial::random_input(package, tensor, *seed + rank)));
    }
    return arrays;
}

void check_outputs(const Packages& packages, const Outputs& outputs) {
    for (const auto& [name, file] : outputs) {
        for (std::size_t rank = 0; rank < packages.size(); ++rank) {
            const auto& tensors = packages[rank]->tensors;
            const bool known = std::ranges::any_of(tensors, [&wanted = name](const neff::Tensor& tensor) {
                return neff::is_output(tensor.kind) && tensor.name == wanted;
            });
            if (!known)
                throw std::runtime_error(
                    fmt::format("--output {}={}: rank {}: kernel '{}' has no such output", name,
                                file.path.string(), rank, packages[rank]->name));
        }
    }
}

// What is not as the interpreter has it, a line each.
std::vector<std::string> problems(const runtime::ServerSession& session, const Packages& packages,
                                  const std::vector<runtime::Arrays>& inputs,
                                  const runtime::ServerResult& result, const runtime::Rounding& rounding) {
    constexpr std::uint64_t LatestOrder = 1;
    std::vector<trial::Trial> trials;
    std::vector<addresses::CoreId> cores;
    for (std::uint32_t rank = 0; rank < session.ranks(); ++rank) {
        trial::Trial& trial = trials.emplace_back(trial::Trial{session.server().chip, *packages[rank], {}});
        for (const neff::Tensor& tensor : packages[rank]->tensors) {
            if (neff::is_input(tensor.kind))
                trial.inputs.emplace(tensor.name, runtime::to_device(tensor, inputs[rank].at(tensor.name)));
        }
        cores.push_back(session.core(rank));
    }
    std::vector<std::string> lines;
    try {
        const auto expected =
            trial::interpret_ranks(trials, trial::carry_out_on(session.server(), cores, rounding.seed),
                                   functional::in_order(LatestOrder, {rounding.stochastic, rounding.seed}));
        for (std::uint32_t rank = 0; rank < trials.size(); ++rank) {
            if (!result.ranks[rank].here) continue;
            for (const trial::Difference& difference :
                 trial::differences(*packages[rank], expected[rank], result.ranks[rank].outputs))
                lines.push_back(
                    fmt::format("rank {}: {}", rank, trial::describe(*packages[rank], difference)));
        }
    } catch (const functional::Error& error) {
        lines.emplace_back(error.what());
    }
    return lines;
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
    Outputs outputs;
    std::vector<runtime::Arrays> inputs;  // by rank
    runtime::ServerExecuteOptions how;
    bool fail_on_nan = false;

    std::uint32_t ranks() const { return static_cast<std::uint32_t>(packages.size()); }
};

// What a process tells of the ranks that it has.
Json report_of(const runtime::ServerSession& session, const Job& job, const runtime::ServerResult& result) {
    const estimates::Tables tables = estimates::load_tables();
    Json ranks = Json::object();
    for (std::uint32_t rank = 0; rank < job.ranks(); ++rank) {
        const runtime::RankResult& one = result.ranks[rank];
        if (!one.here) continue;
        const config::CoreKind kind = session.server().slots[one.core.chip][one.core.core];
        Json& json = ranks[std::to_string(rank)];
        json["text"] =
            fmt::format("{}, {}: {} instructions, {} bytes by DMA", addresses::name_of(one.core),
                        config::name_of(kind), instructions_of(one.figures), one.figures.dma_bytes());
        json["printed"] = one.printed;
        if (job.options.stats.empty()) continue;
        runtime::Result of_rank;
        of_rank.rounding = job.how.rounding;
        of_rank.core_id = one.core;
        of_rank.core = one.info;
        of_rank.fidelity = kind == config::CoreKind::Rtl ? runtime::Fidelity::Rtl : runtime::Fidelity::Fast;
        of_rank.figures = one.figures;
        json["figures"] =
            Json::parse(runtime::to_json(of_rank, *job.packages[rank], session.server().chip, tables));
    }
    return ranks;
}

void write_outputs(const Job& job, std::uint32_t rank, const runtime::Arrays& arrays) {
    for (const neff::Tensor& tensor : job.packages[rank]->tensors) {
        const auto output = job.outputs.find(tensor.name);
        if (output == job.outputs.end()) continue;
        const npy::Array& array = arrays.at(tensor.name);
        npy::write(of_rank(output->second.path, rank),
                   output->second.as_fp32 ? runtime::as_fp32(tensor, array) : array);
    }
}

// Executes the kernels and writes the outputs of the ranks that are here. Returns what all processes tell.
std::string execute(const Job& job, tlm::processes::Exchange& exchange) {
    runtime::ServerSession session(read_server(job.options, job.ranks()), job.ranks(), &exchange);
    session.load(job.packages);
    const auto begin = std::chrono::steady_clock::now();
    runtime::ServerResult result = session.execute(job.inputs, job.how);
    const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    for (runtime::RankResult& rank : result.ranks) rank.figures.wall_seconds = wall;
    std::vector<std::string> wrong;
    if (!result.done()) wrong.push_back(result.message);
    if (result.done() && job.options.check)
        wrong = problems(session, job.packages, job.inputs, result, job.how.rounding);
    if (job.fail_on_nan && result.status == Status::ExecCompletedWithNumericError)
        wrong.emplace_back("completed with numeric error (NaN)");

    Json report{{"server", session.server().name},
                {"time_seconds", static_cast<double>(result.time) * 1e-15},
                {"wall_seconds", wall},
                {"collectives", Json::array()},
                {"ranks", Json::object()},
                {"wrong", Json::array()}};
    const runtime::Collectives& collectives = session.collectives();
    for (std::size_t i = 0; i < collectives.count(); ++i)
        report["collectives"].push_back({{"name", collectives.transfer(i).name},
                                         {"algorithm", collectives::name(collectives.algorithm(i))},
                                         {"input_bytes", neff::moved_bytes(collectives.transfer(i))},
                                         {"output_bytes", neff::written_bytes(collectives.transfer(i))}});
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
        if (session.here(rank)) write_outputs(job, rank, result.ranks[rank].outputs);
    }
    return report.dump();
}

std::string summary(const Job& job, const Json& report) {
    std::string text = fmt::format("kernel '{}' on {} ranks of {}\n", job.packages.front()->name, job.ranks(),
                                   report["server"].get<std::string>());
    text += row("simulated time", fmt::format("{:.3f} us", report["time_seconds"].get<double>() * 1e6));
    text += row("wall time", fmt::format("{:.2f} s", report["wall_seconds"].get<double>()));
    std::size_t number = 0;
    for (const Json& one : report["collectives"])
        text += row(
            fmt::format("collective {}", number++),
            fmt::format(
                "{}: {}, {} bytes", one["name"].get<std::string>(), one["algorithm"].get<std::string>(),
                std::max(one["input_bytes"].get<std::uint64_t>(), one["output_bytes"].get<std::uint64_t>())));
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
    return report.dump(2) + "\n";
}

// What `trnsim run` has as well.
RunOptions run_options(const LaunchOptions& options) {
    RunOptions run;
    run.seed = options.seed;
    run.max_time = options.max_time;
    run.fail_on_nan = options.fail_on_nan;
    if (options.stochastic_rounding) run.stochastic_rounding = "true";
    return run;
}

}  // namespace

int launch(const LaunchOptions& options, const Environment& environment) {
    const RunOptions run = run_options(options);
    Job job{options,
            read_packages(options),
            parse_outputs(options.outputs),
            {},
            {.rounding = parse_rounding(run), .max_time = parse_max_time(run)},
            parse_fail_on_nan(run)};
    const Bindings input_files = parse_bindings("--input", options.inputs);
    check_files(options, input_files, job.outputs, job.ranks());
    check_outputs(job.packages, job.outputs);
    for (std::uint32_t rank = 0; rank < job.ranks(); ++rank)
        job.inputs.push_back(inputs_of(*job.packages[rank], input_files, rank, options.random_inputs));
    const Json report = Json::parse(tlm::processes::run(
        options.processes, [&job](tlm::processes::Exchange& exchange) { return execute(job, exchange); }));
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
    for (const auto& [name, file] : job.outputs)
        environment.summary() << row(fmt::format("output {}", name), file.path.string());
    if (options.stats.empty()) return Success;
    files::write(options.stats, statistics(job, report));
    environment.summary() << row("statistics", options.stats);
    return Success;
}

}  // namespace trnsim::cli
