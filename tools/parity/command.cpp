#include "tools/parity/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <utility>

#include "arch/config/config.hpp"
#include "arch/config/files_of.hpp"
#include "base/files/files.hpp"
#include "base/files/roles.hpp"
#include "compiler/neff/neff.hpp"
#include "testbench/parity/comparison.hpp"
#include "testbench/parity/folder.hpp"
#include "testbench/parity/shrink.hpp"
#include "testbench/parity/subjects.hpp"
#include "tools/command/progress_line.hpp"
#include "tools/command/target_config.hpp"
#include "tools/parity/difference.hpp"
#include "tools/parity/page.hpp"

namespace trnsim::parity {
namespace {

constexpr std::uint64_t BatchSize = 10;  // programs of a package
constexpr std::size_t MostLines = 8;     // differences shown for a subject

struct ParityOptions {
    std::vector<std::string> kernels;
    std::string config, page, shrink;
    bool library = false;
    std::uint64_t programs = 0, seed = 1;
};

// One comparison of the command.
struct Work {
    std::string name, config;
    MakeSubject make;
    std::vector<MakeSubject> parts{};  // smaller subjects that may show a difference, the smallest first
};

// Returns a kernel with random inputs, or a subject that --shrink has left in a folder.
Work work_of_kernel(const std::string& path, const ParityOptions& options) {
    const bool folder = std::filesystem::is_directory(path);
    Subject subject;
    if (folder) {
        subject = read_subject(path);
    } else {
        subject.package = neff::read(path);
    }
    if (!folder || !options.config.empty())
        subject.config =
            config::load(options.config.empty() ? command::config_for(subject.package) : options.config);
    std::string config = subject.config.name;
    return {path, std::move(config), [path, folder, seed = options.seed, subject = std::move(subject)] {
                return folder ? subject : subject_of(path, subject.config, subject.package, seed);
            }};
}

// Returns the programs `first` to `last`.
Work work_of_programs(const config::Config& config, std::uint64_t seed, std::uint64_t first,
                      std::uint64_t last) {
    const auto range = [&config, seed](std::uint64_t from, std::uint64_t to) {
        return [&config, seed, from, to] { return programs(config, seed, from, to); };
    };
    Work work{fmt::format("programs {} to {}", first, last), config.name, range(first, last)};
    for (std::uint64_t length = 1; length <= last - first; length *= 2) {
        for (std::uint64_t from = first; from + length <= last + 1; ++from)
            work.parts.emplace_back(range(from, from + length - 1));
    }
    return work;
}

// Checks that the page is not an input file and that it can be written.
void check_files(const ParityOptions& options) {
    if (!options.shrink.empty() && std::filesystem::exists(options.shrink) &&
        !std::filesystem::is_directory(options.shrink))
        throw std::runtime_error(fmt::format("--shrink: {} is no folder", options.shrink));
    if (options.page.empty()) return;
    files::Roles roles;
    for (const std::string& path : options.kernels) roles.add_input("the kernel", path);
    if (!options.config.empty()) roles.add_inputs("--config", config::files_of(options.config));
    roles.add_output("--page", options.page);
    files::check_writable(options.page);
}

// Compares and prints the result.
Agreement compare(const Subject& subject, const command::Environment& environment) {
    Agreement agreement = run_on_all(subject);
    const Comparison& found = agreement.cores;
    const Timing& timing = found.timing;
    environment.out << fmt::format(
        "{}: {} instructions, {} complete in another cycle, mean error {:.4f} %, worst {:.4f} %; RTL takes "
        "{:.1f} times as long\n",
        subject.name, timing.instructions, timing.differing, 100 * timing.mean, 100 * timing.worst,
        found.speed_up);
    const std::vector<std::string> lines = differences(agreement);
    for (std::size_t i = 0; i < std::min(lines.size(), MostLines); ++i)
        environment.out << fmt::format("  {}\n", lines[i]);
    if (lines.size() > MostLines)
        environment.out << fmt::format("  and {} differences more\n", lines.size() - MostLines);
    return agreement;
}

// Returns the command that makes the rows of a page, without --page.
std::string command_of(const ParityOptions& options) {
    std::string text = "./trnsim parity";
    for (const std::string& path : options.kernels) text += " " + path;
    if (options.library) text += " --library";
    if (options.programs != 0) text += fmt::format(" --programs {}", options.programs);
    text += fmt::format(" --seed {}", options.seed);
    return options.config.empty() ? text : text + " --config " + options.config;
}

void shrink(const Work& work, const Subject& subject, const Agreement& found, const std::string& into,
            const command::Environment& environment) {
    command::ProgressLine line(environment.err);
    std::uint64_t runs = 0;
    const auto compare_part = [&](const Subject& part) {
        if (environment.shows_progress()) line.show(fmt::format("shrinking, run {}", ++runs));
        return run_on_all(part);
    };
    const Subject shrunk = shrink_difference(subject, found, work.parts, compare_part);
    line.clear();
    const std::filesystem::path folder =
        keep_difference(into, subject, shrunk, differences(run_on_all(shrunk)), environment);
    environment.out << fmt::format("  {} of {} instructions are enough: {}\n",
                                   instructions_of(shrunk.package), instructions_of(subject.package),
                                   folder.string());
}

// Compares one subject. A subject that cannot be run gets a row with the reason, so that the others are still
// compared.
PageRow row_of(const Work& work, const ParityOptions& options, const command::Environment& environment) {
    PageRow row{work.name, work.config, {}, {}};
    try {
        const Subject subject = work.make();
        row.subject = subject.name;
        row.agreement = compare(subject, environment);
        if (!options.shrink.empty() && !agrees(row.agreement))
            shrink(work, subject, row.agreement, options.shrink, environment);
    } catch (const std::exception& error) {
        row.failure = error.what();
        environment.err << fmt::format("trnsim: {}: cannot be compared: {}\n", work.name, row.failure);
    }
    return row;
}

int run_parity(const ParityOptions& options, const command::Environment& environment) {
    check_files(options);
    std::vector<Work> kernels;
    for (const std::string& path : options.kernels) kernels.push_back(work_of_kernel(path, options));
    const config::Config config = config::load(options.config.empty() ? "small16" : options.config);
    std::vector<PageRow> rows;
    rows.reserve(kernels.size());
    for (const Work& kernel : kernels) rows.push_back(row_of(kernel, options, environment));
    if (options.library) {
        for (const char* text : small_kernels()) {
            const MakeSubject make = [&, text] { return kernel_of_text(config, text, options.seed); };
            rows.push_back(row_of({text, config.name, make}, options, environment));
        }
    }
    for (std::uint64_t first = 0; first < options.programs; first += BatchSize) {
        const std::uint64_t last = std::min(first + BatchSize, options.programs) - 1;
        rows.push_back(row_of(work_of_programs(config, options.seed, first, last), options, environment));
    }
    const std::ptrdiff_t broken =
        std::ranges::count_if(rows, [](const PageRow& row) { return !row.failure.empty(); });
    const std::ptrdiff_t failed = std::ranges::count_if(rows, std::not_fn(row_agrees));
    environment.summary() << fmt::format("{} compared, {} differ by more than is allowed{}\n",
                                         std::ssize(rows) - broken, failed - broken,
                                         broken == 0 ? "" : fmt::format(", {} cannot be compared", broken));
    if (!options.page.empty()) files::write(options.page, parity_page(command_of(options), rows));
    return failed == 0 ? command::Success : command::SimulationError;
}

}  // namespace

void declare_parity(command::Subcommand app, const command::Environment& environment, int& status) {
    auto options = std::make_shared<ParityOptions>();
    app.add_option("kernel", options->kernels,
                   "Kernels, .neff, whose inputs are random, or folders of --shrink");
    app.add_flag("--library", options->library, "The kernels of the library with small shapes");
    app.add_option("--programs", options->programs, "So many random programs").show_default();
    app.add_option("--seed", options->seed, "Seed of programs and inputs").show_default();
    app.add_option("--config", options->config, "Configuration; else the kernel's, small16 for programs");
    app.add_option("--page", options->page, "Write what has been found to this file, as a page (.md)");
    app.add_option("--shrink", options->shrink,
                   "Write the least that shows a difference, and waves of it, to a folder in this one");
    app.callback([options, &environment, &status] {
        if (options->kernels.empty() && !options->library && options->programs == 0)
            throw std::runtime_error("expected kernels, --library or --programs N");
        status = run_parity(*options, environment);
    });
}

}  // namespace trnsim::parity
