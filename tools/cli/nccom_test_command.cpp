// trnsim nccom-test
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "arch/config/network.hpp"
#include "arch/config/server.hpp"
#include "model/processes/mpi.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/signals.hpp"
#include "tools/command/progress_line.hpp"
#include "tools/command/server_settings.hpp"
#include "tools/nccom/command.hpp"
#include "tools/nccom/published.hpp"
#include "tools/nccom/test.hpp"

namespace trnsim::cli {
namespace {

struct NccomArguments : nccom::Arguments {
    bool silent = false;
};

template <typename Rows>
std::string list(const char* title, const Rows& rows) {
    std::vector<std::string_view> names;
    names.reserve(rows.size());
    for (const auto& row : rows) names.push_back(row.name);
    return fmt::format("{}: {}", title, fmt::join(names, " "));
}

// Returns the exit code. A time beyond the bounds is an error, as a wrong element is.
int compare_with_published(nccom::Arguments arguments, const std::vector<std::string>& given,
                           const Environment& environment, const nccom::Watch& watch) {
    const auto is_given = [&given](std::string_view option) {
        return std::ranges::find(given, option) != given.end();
    };
    if (!is_given("--maxbytes")) arguments.to = nccom::PublishedMaxBytes;
    if (!is_given("--datatype")) arguments.type = nccom::PublishedType;
    const nccom::Comparison all = nccom::compare_with_published(arguments, given, environment.out, watch);
    if (!all.complete) environment.err << "trnsim: interrupted\n";
    if (!all.within()) environment.err << "trnsim: times beyond the bounds - test failed\n";
    return all.complete && all.within() ? Success : SimulationError;
}

}  // namespace

void declare_nccom_test(Subcommand app, const Environment& environment, int& status) {
    auto options = std::make_shared<NccomArguments>();
    app.add_option("operation", options->operation, "The collective").required();
    app.add_option("-r,--nworkers", options->ranks, "Ranks of all servers: the first cores of each")
        .show_default();
    app.add_option("-N,--nnodes", options->nodes,
                   "Servers; of several one is simulated, and a model of the network between them")
        .show_default();
    app.add_option("-b,--minbytes", options->from, "First size, such as 8, 64K, 32M").show_default();
    app.add_option("-e,--maxbytes", options->to, "Last size").show_default();
    app.add_option("-i,--stepbytes", options->step,
                   "From each size to the next; without a step only the first");
    app.add_option("-f,--stepfactor", options->factor, "The same as a factor");
    app.add_option("-n,--iters", options->iterations, "Executions that are measured").show_default();
    app.add_option("-w,--warmup_iters", options->warmup, "Executions before those").show_default();
    app.add_option("-d,--datatype", options->type, "Type of the elements").show_default();
    app.add_option("-c,--check", options->check,
                   "Compare all outputs bit for bit: of random values or all_ones");
    app.add_option("--seed", options->seed, "Seed of the random values").show_default();
    app.add_option("-t,--stats", options->statistics, "Columns of times: avg,min,max,p50,p99");
    app.add_flag("--show-algorithm", options->show_algorithm, "A column with the algorithm");
    app.add_flag("--show-input-output-size", options->show_sizes, "Columns with a rank's input and output");
    app.add_option("--report-to-json-file", options->report, "Write the results as JSON");
    app.add_option("--server-stats", options->server_statistics,
                   "Write what links, HBM and DMA engines have counted as JSON");
    app.add_option(
        "--trace", options->trace,
        "Timeline of chips, collective cores, DMA engines and links as Chrome/Perfetto trace JSON");
    app.add_option(
        "--wave", options->wave,
        "Waveform of links, collective cores and DMA rings, an .fst file, with the view link beside it");
    app.add_option("--custom-replica-groups", options->groups, "JSON file with groups of ranks");
    app.add_option("--custom-src-target-pairs", options->pairs,
                   "JSON file with pairs for permute and sendrecv");
    app.add_option("--config", options->server, "Server: a name or a file").show_default();
    declare_settings(app, options->settings, options->cuts);
    app.add_option("--network", options->network,
                   "Network between servers: a name or a file; ultracluster unless given");
    app.add_flag("--show-network", options->show_network, "Columns with what happens between servers");
    app.add_option("--algorithm", options->algorithm, "Instead of the one chosen by size");
    app.add_option("--perturb", options->perturb, "Seed of random delays everywhere");
    app.add_option("--processes", options->processes,
                   "Processes that simulate it, at most one a chip; the results are the same")
        .show_default();
    app.add_flag("--published", options->published,
                 "Simulate the published times of all-reduces up to --maxbytes instead, and compare them");
    app.add_flag("--non-interactive", options->silent, "No progress on a terminal");
    app.footer(fmt::format("{}\n{}\nServers: {}\nNetworks: {}", list("Operations", nccom::operation_names()),
                           list("Types", nccom::type_names()), fmt::join(config::shipped_servers(), " "),
                           fmt::join(config::shipped_networks(), " ")));
    app.callback([options, app, &environment, &status] {
        ProgressLine line(environment.err);
        std::optional<InterruptGuard> guard;
        if (tlm::processes::mpi_processes() == 1) guard.emplace();  // mpirun ends its processes
        nccom::Watch watch{.goes_on = [] { return !InterruptGuard::interrupted(); }};
        if (environment.shows_progress() && !options->silent)
            watch.progress = [&line](const std::string& text) {
                text.empty() ? line.clear() : line.show(text);
            };
        if (options->published) {
            status = compare_with_published(*options, app.given(), environment, watch);
            return;
        }
        const nccom::Summary summary = nccom::run(*options, environment.out, watch);
        if (summary.errors != 0)
            environment.err << fmt::format("trnsim: {} errors found - test failed\n", summary.errors);
        if (!summary.complete())
            environment.err << fmt::format("trnsim: interrupted after {} of {} sizes\n", summary.there,
                                           summary.sizes);
        status = summary.errors == 0 && summary.complete() ? Success : SimulationError;
    });
}

}  // namespace trnsim::cli
