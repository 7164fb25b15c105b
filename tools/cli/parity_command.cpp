// trnsim parity
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <utility>

#include "lib/base/files/files.hpp"
#include "lib/base/files/roles.hpp"
#include "lib/config/config.hpp"
#include "lib/config/files_of.hpp"
#include "lib/neff/neff.hpp"
#include "testbench/parity/comparison.hpp"
#include "testbench/parity/subjects.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/parity_page.hpp"
#include "tools/cli/target_config.hpp"

namespace trnsim::cli {
namespace {

constexpr std::uint64_t BatchSize = 10;  // programs of a package
constexpr std::size_t MostLines = 8;     // of differences of a subject

struct ParityOptions {
    std::vector<std::string> kernels;
    std::string config, page;
    bool library = false;
    std::uint64_t programs = 0, seed = 1;
};

// A kernel of the command line.
struct Kernel {
    std::string path;
    config::Config config;
    neff::Package package;
};

std::vector<Kernel> read_kernels(const ParityOptions& options) {
    std::vector<Kernel> kernels;
    for (const std::string& path : options.kernels) {
        neff::Package package = neff::read(path);
        config::Config config = config::load(options.config.empty() ? config_for(package) : options.config);
        kernels.push_back({path, std::move(config), std::move(package)});
    }
    return kernels;
}

// The page is no file that is read, and can be written.
void check_files(const ParityOptions& options) {
    if (options.page.empty()) return;
    files::Roles roles;
    for (const std::string& path : options.kernels) roles.add_input("the kernel", path);
    if (!options.config.empty()) {
        for (const std::filesystem::path& file : config::files_of(options.config))
            roles.add_input("--config", file);
    }
    roles.add_output("--page", options.page);
    files::check_writable(options.page);
}

// Prints what has been found.
Agreement check(const parity::Subject& subject, const Environment& environment) {
    Agreement agreement = run_on_all(subject);
    const parity::Comparison& found = agreement.cores;
    const parity::Timing& timing = found.timing;
    environment.out << fmt::format(
        "{}: {} instructions, {} complete in another cycle, mean error {:.4f} %, worst {:.4f} %; RTL takes "
        "{:.1f} times as long\n",
        subject.name, timing.instructions, timing.differing, 100 * timing.mean, 100 * timing.worst,
        found.speed_up);
    std::vector<std::string> lines;
    if (agreement.unlike_interpreter != 0)
        lines.push_back(fmt::format("{} bytes of the RTL's outputs are not the interpreter's",
                                    agreement.unlike_interpreter));
    if (!timing.first.empty()) lines.push_back(timing.first);
    for (const auto* part : {&found.runs, &found.bytes, &found.counted})
        lines.insert(lines.end(), part->begin(), part->end());
    for (std::size_t i = 0; i < std::min(lines.size(), MostLines); ++i)
        environment.out << fmt::format("  {}\n", lines[i]);
    if (lines.size() > MostLines)
        environment.out << fmt::format("  and {} differences more\n", lines.size() - MostLines);
    return agreement;
}

// What makes the rows of a page, without the page.
std::string command_of(const ParityOptions& options) {
    std::string text = "./trnsim parity";
    for (const std::string& path : options.kernels) text += " " + path;
    if (options.library) text += " --library";
    if (options.programs != 0) text += fmt::format(" --programs {}", options.programs);
    text += fmt::format(" --seed {}", options.seed);
    return options.config.empty() ? text : text + " --config " + options.config;
}

int run_parity(const ParityOptions& options, const Environment& environment) {
    check_files(options);
    std::vector<PageRow> rows;
    // What cannot be run is a row as well, and the others are compared.
    const auto count = [&](const std::string& name, const config::Config& on, const auto& subject) {
        PageRow& row = rows.emplace_back(PageRow{name, on.name, {}, {}});
        try {
            const parity::Subject made = subject();
            row.subject = made.name;
            row.agreement = check(made, environment);
        } catch (const std::exception& error) {
            row.failure = error.what();
            environment.err << fmt::format("trnsim: {}: cannot be compared: {}\n", name, row.failure);
        }
    };
    for (Kernel& kernel : read_kernels(options)) {
        count(kernel.path, kernel.config, [&] {
            return parity::subject_of(kernel.path, kernel.config, std::move(kernel.package), options.seed);
        });
    }
    const config::Config config = config::load(options.config.empty() ? "small16" : options.config);
    if (options.library) {
        for (const char* text : parity::small_kernels())
            count(text, config, [&] { return parity::kernel_of_text(config, text, options.seed); });
    }
    for (std::uint64_t first = 0; first < options.programs; first += BatchSize) {
        const std::uint64_t last = std::min(first + BatchSize, options.programs) - 1;
        count(fmt::format("programs {} to {}", first, last), config,
              [&] { return parity::programs(config, options.seed, first, last); });
    }
    const std::ptrdiff_t broken =
        std::ranges::count_if(rows, [](const PageRow& row) { return !row.failure.empty(); });
    const std::ptrdiff_t failed = std::ranges::count_if(rows, std::not_fn(row_agrees));
    environment.summary() << fmt::format("{} compared, {} differ by more than is allowed{}\n",
                                         std::ssize(rows) - broken, failed - broken,
                                         broken == 0 ? "" : fmt::format(", {} cannot be compared", broken));
    if (!options.page.empty()) files::write(options.page, parity_page(command_of(options), rows));
    return failed == 0 ? Success : SimulationError;
}

}  // namespace

void declare_parity(CLI::App& app, const Environment& environment, int& status) {
    auto options = std::make_shared<ParityOptions>();
    app.add_option("kernel", options->kernels, "Kernels, .neff; their inputs are random");
    app.add_flag("--library", options->library, "The kernels of the library with small shapes");
    app.add_option("--programs", options->programs, "So many random programs")->capture_default_str();
    app.add_option("--seed", options->seed, "Of programs and inputs")->capture_default_str();
    app.add_option("--config", options->config, "Configuration; else the kernel's, small16 for programs");
    app.add_option("--page", options->page, "Write what has been found to this file, as a page (.md)");
    app.callback([options, &environment, &status] {
        if (options->kernels.empty() && !options->library && options->programs == 0)
            throw std::runtime_error("expected kernels, --library or --programs N");
        status = run_parity(*options, environment);
    });
}

}  // namespace trnsim::cli
