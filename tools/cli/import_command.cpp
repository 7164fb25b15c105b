// trnsim import
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "arch/config/config.hpp"
#include "arch/config/files_of.hpp"
#include "arch/config/folders.hpp"
#include "arch/target/target.hpp"
#include "base/files/files.hpp"
#include "base/files/roles.hpp"
#include "base/text/shell.hpp"
#include "compiler/kernels/registry.hpp"
#include "compiler/neff/neff.hpp"
#include "isa/aliases.hpp"
#include "isa/isa_tables.hpp"
#include "model/system/load_server.hpp"
#include "runtime/session/fidelity.hpp"
#include "tools/cli/commands.hpp"
#include "tools/command/target_config.hpp"
#include "tools/importers/astra_sim.hpp"
#include "tools/importers/deepbench.hpp"
#include "tools/importers/matmuls.hpp"
#include "tools/importers/replay.hpp"
#include "tools/importers/scale_sim.hpp"
#include "tools/importers/table.hpp"
#include "tools/sweep/sweep.hpp"

namespace trnsim::cli {
namespace {

struct ImportOptions {
    std::string file, output, list, system, groups, base = "trn1.32xlarge", chip = DefaultConfig;
    std::vector<std::string> traces;
    importers::SweepOptions sweep{};
};

// Refuses files that would be overwritten by the output, and an output that cannot be written.
void check_files(const ImportOptions& options, const std::vector<std::string>& inputs) {
    files::Roles roles;
    for (const std::string& input : inputs) roles.add_input("the file", input);
    if (!options.system.empty()) roles.add_input("--system", options.system);
    if (!options.groups.empty()) roles.add_input("--groups", options.groups);
    roles.add_output("-o", options.output);
    files::check_writable(options.output);
}

// Writes a file when `check` has read it, under another name beside it: none is written that trnsim refuses.
void write_checked(const std::string& output, const std::string& text,
                   const std::function<void(const std::filesystem::path&)>& check) {
    const files::Target target = files::find_target(output);
    const files::Temporary temporary(target, files::Temporary::Kind::File);
    files::write(temporary.path(), text);
    check(std::filesystem::absolute(temporary.path()));
    temporary.rename(temporary.path(), target);
}

// Returns a configuration or server in a form that is valid in the output, in which paths begin at its folder.
std::string named_in_output(const std::string& name_or_path, const std::string& output) {
    if (!config::is_path(name_or_path)) return name_or_path;
    const auto folder = std::filesystem::absolute(output).parent_path();
    const std::string path = std::filesystem::absolute(name_or_path)
                                 .lexically_normal()
                                 .lexically_proximate(folder.lexically_normal());
    return config::is_path(path) ? path : "./" + path;
}

// Calls `check` for the value of an option, whose name stands before its error.
void check_option(const char* name, const std::function<void()>& check) {
    try {
        check();
    } catch (const std::runtime_error& error) {
        throw std::runtime_error(fmt::format("{}: {}", name, error.what()));
    }
}

void check_sweep_options(const importers::SweepOptions& sweep) {
    check_option("--base", [&] { config::load(sweep.base); });
    check_option("--dtype", [&] {
        kernels::Arguments("matmul", kernels::find_kernel("matmul").arguments,
                           {{"M", "1"}, {"K", "1"}, {"N", "1"}, {"dtype", sweep.dtype}});
    });
    if (!runtime::fidelity_of(sweep.fidelity))
        throw std::runtime_error(fmt::format("--fidelity {}: expected rtl or fast", sweep.fidelity));
}

void write_sweep(const ImportOptions& options, const std::vector<importers::Matmul>& matmuls,
                 const char* format, std::ostream& out) {
    check_sweep_options(options.sweep);
    importers::check_shapes(matmuls);
    importers::SweepOptions sweep = options.sweep;
    sweep.base = named_in_output(sweep.base, options.output);
    write_checked(options.output, importers::sweep_of(matmuls, options.file, format, sweep),
                  [](const std::filesystem::path& written) { sweep::read_sweep(written); });
    out << fmt::format("{}: {} products; trnsim sweep {} -o FOLDER runs them\n", options.output,
                       matmuls.size(), text::shell_path(options.output));
}

void declare_sweep_options(Subcommand app, ImportOptions& options) {
    app.add_option("-o,--output", options.output, "The sweep file to write").required();
    app.add_option("--base", options.sweep.base, "Configuration of the sweep").show_default();
    app.add_option("--dtype", options.sweep.dtype, "Element type of the operands").show_default();
    app.add_option("--fidelity", options.sweep.fidelity, "Model of the core").show_default();
}

std::string left_out(const std::vector<std::string>& keys) {
    return keys.empty() ? "" : fmt::format("; without a meaning here: {}", fmt::join(keys, ", "));
}

void import_network(const ImportOptions& options, std::ostream& out) {
    check_files(options, {options.file});
    const importers::AstraNetwork network = importers::read_astra_network(options.file);
    std::optional<importers::AstraSystem> system;
    if (!options.system.empty()) system = importers::read_astra_system(options.system);
    check_option("--base", [&] { tlm::load_server(options.base); });
    const importers::AstraSystem* given = system ? &*system : nullptr;
    const std::string text = importers::server_of(network, given, options.file, options.base,
                                                  named_in_output(options.base, options.output));
    write_checked(options.output, text, [&](const std::filesystem::path& written) {
        importers::check_server(written, network, given, options.file);
    });
    out << fmt::format("{}: a server{}\n", options.output, system ? left_out(system->left_out) : "");
}

isa::Dtype dtype_of(const std::string& name) {
    const isa::EnumValue* value = isa::find_value(isa::dtype_values(), isa::canonical_dtype(name));
    if (value == nullptr) throw std::runtime_error(fmt::format("--dtype {}: expected an element type", name));
    return static_cast<isa::Dtype>(value->value);
}

void import_traces(const ImportOptions& options, std::ostream& out) {
    check_files(options, options.traces);
    std::vector<importers::Trace> traces;
    for (const std::string& file : options.traces) traces.push_back(importers::read_chakra(file));
    importers::ReplayOptions replay{.name = importers::name_of(options.output),
                                    .dtype = dtype_of(options.sweep.dtype)};
    if (!options.groups.empty()) replay.groups = importers::read_groups(options.groups);
    std::optional<importers::AstraSystem> system;
    if (!options.system.empty()) system = importers::read_astra_system(options.system);
    if (system) replay.algorithms = system->algorithms;
    const importers::Replay made =
        importers::replay_of(traces, replay, target::of(config::load(options.chip)));
    neff::write(options.output, made.package);
    const std::string chip = options.chip == DefaultConfig ? "" : " --chip " + text::shell_path(options.chip);
    out << fmt::format(
        "{}: {} collectives of {} ranks; trnsim launch {}{} --ranks {} --random-inputs 1 runs them\n",
        options.output, made.collectives, traces.size(), text::shell_path(options.output), chip,
        traces.size());
    if (made.left_out != 0)
        out << fmt::format("left out: {} computations and memory accesses, {} us of rank 0\n", made.left_out,
                           made.left_microseconds);
    if (system && !system->left_out.empty())
        out << fmt::format("{}: without a meaning here: {}\n", options.system,
                           fmt::join(system->left_out, ", "));
}

}  // namespace

void declare_import(Subcommand app, const Environment& environment, int& status) {
    app.require_subcommand();
    auto options = std::make_shared<ImportOptions>();
    const auto run = [options, &environment, &status](const auto& work) {
        return [options, &environment, &status, work] {
            work(*options, environment.out);
            status = Success;
        };
    };

    Subcommand scale_sim = app.add_subcommand(
        "scale-sim", "Make a sweep of a topology of SCALE-Sim: matrix products or convolutions");
    scale_sim.add_option("file", options->file, "The topology, .csv").required();
    declare_sweep_options(scale_sim, *options);
    scale_sim.callback(run([](const ImportOptions& given, std::ostream& out) {
        check_files(given, {given.file});
        write_sweep(given, importers::read_scale_sim(given.file), "scale-sim", out);
    }));

    Subcommand deepbench = app.add_subcommand(
        "deepbench",
        "Make a sweep of shapes of DeepBench: a header of problems, or a table with m, n, k, a_t, b_t");
    deepbench.add_option("file", options->file, "The shapes, .h or .csv").required();
    deepbench.add_option("--list", options->list, "One list of the header, such as training_set; else all");
    declare_sweep_options(deepbench, *options);
    deepbench.callback(run([](const ImportOptions& given, std::ostream& out) {
        check_files(given, {given.file});
        write_sweep(given, importers::read_deepbench(given.file, given.list), "deepbench", out);
    }));

    Subcommand network =
        app.add_subcommand("astra-sim", "Make a server of a network of ASTRA-sim, and of its system file");
    network.add_option("file", options->file, "The network, .yml or .json").required();
    network.add_option("--system", options->system, "The system file, .json: the delay of endpoints");
    network.add_option("--base", options->base, "The server that the new one extends").show_default();
    network.add_option("-o,--output", options->output, "The server's file to write").required();
    network.callback(run(import_network));

    Subcommand chakra = app.add_subcommand(
        "chakra", "Make a kernel of the communication in execution traces of Chakra, for trnsim launch");
    chakra.add_option("traces", options->traces, "A trace for each rank, by rank, .et").required();
    chakra.add_option("--groups", options->groups,
                      "Groups of ranks that the traces name, .json of ASTRA-sim");
    chakra.add_option("--system", options->system,
                      "A system file of ASTRA-sim: the algorithms of collectives");
    chakra.add_option("--dtype", options->sweep.dtype, "Element type of what is reduced").show_default();
    chakra.add_option("--chip", options->chip, "Configuration of the chips that run it").show_default();
    chakra.add_option("-o,--output", options->output, "The kernel to write, .neff").required();
    chakra.callback(run(import_traces));
}

}  // namespace trnsim::cli
