#include "tools/bench/command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "base/jobs/isolated.hpp"
#include "runtime/session/fidelity.hpp"
#include "tools/bench/benchmark.hpp"
#include "tools/bench/python_benchmarks.hpp"
#include "tools/command/threads.hpp"

namespace trnsim::bench {
namespace {

using Json = nlohmann::ordered_json;

// An option of a benchmark of the Python package, as the command line has it.
struct GivenOption {
    const PythonOption* option;
    std::optional<std::string> value;
    bool flag = false;

    bool given() const { return flag || value.has_value(); }
    std::string word() const {
        return value ? fmt::format("{}={}", option->name, *value) : std::string(option->name);
    }
};

struct BenchOptions {
    std::vector<std::string> names;
    bool json = false;
    std::string threads = "1";
    std::optional<std::string> fidelity;
    std::deque<GivenOption> python;  // the parser keeps references to them
};

// Returns the benchmark of that name, or else all with names that begin with it and a hyphen.
std::vector<const Benchmark*> named(std::string_view name) {
    std::vector<const Benchmark*> group;
    for (const Benchmark& benchmark : benchmarks()) {
        const std::string_view other = benchmark.name;
        if (other == name) return {&benchmark};
        if (other.size() > name.size() && other.starts_with(name) && other[name.size()] == '-')
            group.push_back(&benchmark);
    }
    return group;
}

struct Selection {
    std::vector<const Benchmark*> benchmarks;
    std::vector<const PythonBenchmark*> python;
};

std::string known_names() {
    std::vector<std::string_view> names;
    for (const Benchmark& benchmark : benchmarks()) names.emplace_back(benchmark.name);
    for (const PythonBenchmark& benchmark : python_benchmarks()) names.push_back(benchmark.name);
    return fmt::format("{}", fmt::join(names, " "));
}

Selection select(const std::vector<std::string>& names) {
    Selection selection;
    for (const Benchmark& benchmark : benchmarks()) {
        if (names.empty()) selection.benchmarks.push_back(&benchmark);
    }
    for (const std::string& name : names) {
        if (const PythonBenchmark* python = find_python_benchmark(name)) {
            selection.python.push_back(python);
            continue;
        }
        const std::vector<const Benchmark*> found = named(name);
        if (found.empty())
            throw std::runtime_error(fmt::format("no benchmark '{}'; there are: {}", name, known_names()));
        selection.benchmarks.insert(selection.benchmarks.end(), found.begin(), found.end());
    }
    return selection;
}

Figure measure(const Benchmark& benchmark, const Environment& environment) {
    const Json json = Json::parse(jobs::run_isolated([&] {
        const Figure figure = benchmark.measure(environment);
        Json parts = Json::array();
        for (const Part& part : figure.parts)
            parts.push_back({{"name", part.name}, {"value", part.value}, {"unit", part.unit}});
        return Json{{"value", figure.value}, {"reference", figure.reference}, {"parts", parts}}.dump();
    }));
    Figure figure{.value = json.at("value").get<double>(), .reference = json.at("reference").get<double>()};
    for (const Json& part : json.at("parts"))
        figure.parts.push_back({part.at("name").get<std::string>(), part.at("value").get<double>(),
                                part.at("unit").get<std::string>()});
    return figure;
}

// Returns a factory of the same machines with cores of this fidelity.
runtime::MachineFactory with_fidelity(runtime::MachineFactory factory, runtime::Fidelity fidelity) {
    return [factory = std::move(factory), fidelity](const config::Config& config,
                                                    runtime::MachineOptions options) {
        options.fidelity = fidelity;
        return factory(config, options);
    };
}

runtime::Fidelity checked_fidelity(const std::string& name, const Selection& selection) {
    const auto refuse = [](std::string_view benchmark) {
        throw std::runtime_error(
            fmt::format("--fidelity: benchmark {} has a core of its own, expected none", benchmark));
    };
    for (const Benchmark* benchmark : selection.benchmarks) {
        if (!benchmark->any_core) refuse(benchmark->name);
    }
    for (const PythonBenchmark* benchmark : selection.python) refuse(benchmark->name);
    const auto fidelity = runtime::fidelity_of(name);
    if (!fidelity) throw std::runtime_error(fmt::format("--fidelity {}: expected rtl or fast", name));
    return *fidelity;
}

bool takes(const PythonBenchmark& benchmark, const GivenOption& given) {
    return std::ranges::find(benchmark.options, given.option->name, &PythonOption::name) !=
           benchmark.options.end();
}

// Throws std::runtime_error if a selected benchmark does not take what is given.
void check_options(const BenchOptions& options, const Selection& selection) {
    for (const GivenOption& given : options.python) {
        if (!given.given()) continue;
        const auto takes_it = [&](const PythonBenchmark* benchmark) { return takes(*benchmark, given); };
        if (!selection.benchmarks.empty() || selection.python.empty() ||
            !std::ranges::all_of(selection.python, takes_it)) {
            const auto owner = std::ranges::find_if(
                python_benchmarks(),
                [&](const PythonBenchmark& benchmark) { return takes(benchmark, given); });
            throw std::runtime_error(
                fmt::format("{}: expected benchmark {} and no other", given.option->name, owner->name));
        }
    }
    if (!options.json || selection.python.empty()) return;
    for (const PythonBenchmark* benchmark : selection.python) {
        if (benchmark->options.empty())
            throw std::runtime_error(
                fmt::format("--json: benchmark {} prints text, expected none that does", benchmark->name));
    }
    if (selection.python.size() + selection.benchmarks.size() > 1)
        throw std::runtime_error(fmt::format("--json: benchmark {} beside others, expected it alone",
                                             selection.python.front()->name));
}

// Returns the words of the command line that are for a benchmark of the Python package.
std::vector<std::string> arguments_of(const PythonBenchmark& benchmark, const BenchOptions& options,
                                      const Environment& environment) {
    std::vector<std::string> words;
    if (benchmark.options.empty()) return words;
    for (const GivenOption& given : options.python) {
        if (given.given()) words.push_back(given.word());
    }
    if (options.json) words.emplace_back("--json");
    if (!environment.shows_progress()) words.emplace_back("--quiet");
    return words;
}

int bench(const BenchOptions& options, Environment environment) {
    environment.machine = runtime::with_threads(environment.machine, command::parse_threads(options.threads));
    const Selection selection = select(options.names);
    check_options(options, selection);
    if (options.fidelity)
        environment.machine =
            with_fidelity(environment.machine, checked_fidelity(*options.fidelity, selection));
    int status = command::Success;
    const auto fails = [&](std::string_view benchmark, const std::exception& error) {
        environment.err << fmt::format("trnsim: benchmark {}: {}\n", benchmark, error.what());
        status = command::SimulationError;
    };
    Json results = Json::array();
    for (const Benchmark* benchmark : selection.benchmarks) {
        try {
            const Figure figure = measure(*benchmark, environment);
            const double ratio = figure.reference != 0 ? figure.value / figure.reference : 0;
            results.push_back({{"name", benchmark->name},
                               {"value", figure.value},
                               {"unit", benchmark->unit},
                               {"reference", figure.reference},
                               {"reference_is", benchmark->reference_doc},
                               {"ratio", ratio}});
            for (const Part& part : figure.parts)
                results.back()["parts"].push_back(
                    {{"name", part.name}, {"value", part.value}, {"unit", part.unit}});
            if (options.json) continue;
            environment.out << fmt::format("{:<16} {:10.4g} {:<8} = {:.4g} x {:.4g} {} ({})\n",
                                           benchmark->name, figure.value, benchmark->unit, ratio,
                                           figure.reference, benchmark->unit, benchmark->reference_doc);
            for (const Part& part : figure.parts)
                environment.out << fmt::format("  {:10.4g} {:<5} {}\n", part.value, part.unit, part.name);
        } catch (const std::exception& error) {
            fails(benchmark->name, error);
        }
    }
    for (const PythonBenchmark* benchmark : selection.python) {
        try {
            const int code = run_python_benchmark(*benchmark, arguments_of(*benchmark, options, environment),
                                                  environment.out);
            if (code == command::BadInput) return code;
            if (code != 0) throw std::runtime_error("it failed, as it says above");
        } catch (const std::exception& error) {
            fails(benchmark->name, error);
        }
    }
    if (options.json && !selection.benchmarks.empty()) environment.out << results.dump(2) << "\n";
    return status;
}

std::string list_benchmarks() {
    std::string text = "Benchmarks:";
    for (const Benchmark& benchmark : benchmarks())
        text += fmt::format("\n  {:<16} {}", benchmark.name, benchmark.doc);
    text +=
        "\n\nBenchmarks of the Python package, which run if they are named, in the interpreter TRNSIM_PYTHON "
        "or "
        "python3, as by python -m trnsim.bench NAME:";
    for (const PythonBenchmark& benchmark : python_benchmarks())
        text += fmt::format("\n  {:<16} {}", benchmark.name, benchmark.doc);
    return text;
}

}  // namespace

void declare_bench(command::Subcommand app, const Environment& environment, int& status) {
    auto options = std::make_shared<BenchOptions>();
    app.add_option("name", options->names,
                   "Benchmarks to run, or groups of them: hbm, dma, fast; all of the program without a name");
    app.add_flag("--json", options->json, "Print JSON");
    app.add_option("--fidelity", options->fidelity,
                   "Model of the core, rtl or fast, for benchmarks that are not of one of them: published");
    command::declare_threads(app, options->threads);
    for (const PythonBenchmark& benchmark : python_benchmarks()) {
        for (const PythonOption& option : benchmark.options) {
            GivenOption& given = options->python.emplace_back(GivenOption{.option = &option, .value = {}});
            const std::string doc = fmt::format("{}: {}", benchmark.name, option.doc);
            if (option.value.empty())
                app.add_flag(std::string(option.name), given.flag, doc);
            else
                app.add_option(std::string(option.name), given.value, doc)
                    .type_name(std::string(option.value));
        }
    }
    app.footer(list_benchmarks());
    app.callback([options, &environment, &status] { status = bench(*options, environment); });
}

}  // namespace trnsim::bench
