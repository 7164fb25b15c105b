// trnsim profile
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <stdexcept>

#include "base/files/files.hpp"
#include "base/files/roles.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/run_kernel.hpp"
#include "tools/profile/comparison.hpp"
#include "tools/profile/gpsimd_tables.hpp"
#include "tools/profile/lines.hpp"
#include "tools/profile/profile.hpp"
#include "tools/profile/tables.hpp"
#include "tools/profile/text.hpp"

namespace trnsim::cli {
namespace {

struct ProfileOptions {
    RunOptions run;
    std::string json, csv, against;
};

std::string compare(const std::string& path, const nlohmann::ordered_json& earlier,
                    const nlohmann::ordered_json& tables) {
    try {
        return profile::against(earlier, tables);
    } catch (const std::runtime_error& error) {
        throw std::runtime_error(fmt::format("--against {}: {}", path, error.what()));
    }
}

// Reads the tables of an earlier run.
nlohmann::ordered_json read_tables(const std::string& path) {
    const std::vector<std::uint8_t> bytes = files::read(path);
    nlohmann::ordered_json tables = nlohmann::ordered_json::parse(bytes, nullptr, false);
    if (!tables.is_object())
        throw std::runtime_error(
            fmt::format("--against {}: found no JSON object, expected tables of profile --json", path));
    compare(path, tables, tables);  // finds what is missing before the run
    return tables;
}

nlohmann::ordered_json document_of(const std::vector<profile::Table>& tables) {
    nlohmann::ordered_json document;
    for (const auto& [name, rows] : tables) document[name] = rows;
    return document;
}

void write_tables(const std::vector<profile::Table>& tables, const ProfileOptions& options,
                  const Environment& environment) {
    const auto wrote = [&environment](const char* what, const std::string& path) {
        environment.out << fmt::format("{:<22}{}\n", what, path);
    };
    if (!options.json.empty()) {
        files::write(options.json, document_of(tables).dump(1) + "\n");
        wrote("tables", options.json);
    }
    if (options.csv.empty()) return;
    std::filesystem::create_directories(options.csv);
    for (const auto& [name, rows] : tables)
        files::write(std::filesystem::path(options.csv) / (name + ".csv"), profile::to_csv(rows));
    wrote("tables", options.csv);
}

int run_profile(const ProfileOptions& options, const Environment& environment) {
    RunOptions run = options.run;
    if (!options.json.empty()) run.further.emplace_back("--json", options.json);
    files::Roles roles;
    if (!options.against.empty()) roles.add_input("--against", options.against);
    if (!options.json.empty()) roles.add_output("--json", options.json);
    if (!options.csv.empty() && std::filesystem::exists(options.csv) &&
        !std::filesystem::is_directory(options.csv))
        throw std::runtime_error(fmt::format("--csv {}: is no folder", options.csv));
    // An earlier run is read before this one takes its time.
    const auto earlier = options.against.empty() ? nlohmann::ordered_json() : read_tables(options.against);
    profile::Recorder recorder;
    profile::GpsimdRecorder gpsimd;
    Environment recording = environment;
    recording.machine = [&](const config::Config& config, runtime::MachineOptions machine) {
        recorder.pass_on_to(machine.sink);
        machine.sink = &recorder;
        if (machine.fidelity == runtime::Fidelity::Rtl)
            machine.gpsimd = &gpsimd;  // fast has no cycles by line
        return environment.machine(config, machine);
    };
    return run_kernel(
        run, recording,
        [&](const neff::Package& package, const config::Config& config, const runtime::Result& result) {
            const profile::Profile profile = profile::analyse(package, config, result, recorder);
            const std::vector<profile::LineProfile> lines = profile::lines_of(profile, package);
            const profile::GpsimdSpots spots = profile::gpsimd_spots(gpsimd, package);
            environment.out << profile::to_text(profile) << profile::gpsimd_text(result.figures.gpsimd, spots)
                            << profile::lines_text(lines);
            std::vector<profile::Table> tables = profile::tables(profile, package, config, result, recorder);
            tables.push_back(profile::lines_table(lines));
            std::ranges::move(profile::gpsimd_tables(result.figures.gpsimd, spots),
                              std::back_inserter(tables));
            if (!options.against.empty())
                environment.out << compare(options.against, earlier, document_of(tables));
            write_tables(tables, options, environment);
        });
}

}  // namespace

void declare_profile(Subcommand app, const Environment& environment, int& status) {
    auto options = std::make_shared<ProfileOptions>();
    options->run.random_inputs = 0;
    options->run.looks_on = true;
    declare_kernel_options(app, options->run);
    app.add_option("--fidelity", options->run.fidelity, "Model of the core: rtl, fast").show_default();
    app.add_option("--json", options->json, "Tables of the profile, named as neuron-profile's, as JSON");
    app.add_option("--against", options->against,
                   "Tables of an earlier run, as --json has written them: prints what differs from it");
    app.add_option("--csv", options->csv, "Folder for the same tables, one CSV file each");
    app.add_option("--trace", options->run.trace, "Timeline as Chrome/Perfetto trace JSON");
    app.callback([options, &environment, &status] { status = run_profile(*options, environment); });
}

}  // namespace trnsim::cli
