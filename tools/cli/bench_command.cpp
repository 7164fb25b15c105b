// trnsim bench
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tools/cli/benchmark.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/isolated.hpp"
#include "tools/cli/run_kernel.hpp"

namespace trnsim::cli {
namespace {

using Json = nlohmann::ordered_json;

struct BenchOptions {
    std::vector<std::string> names;
    bool json = false;
    std::string threads = "1";
};

std::vector<const Benchmark*> select(const std::vector<std::string>& names) {
    std::vector<const Benchmark*> selected;
    std::string known;
    for (const Benchmark& benchmark : benchmarks()) {
        known += fmt::format("{}{}", known.empty() ? "" : " ", benchmark.name);
        if (names.empty()) selected.push_back(&benchmark);
    }
    for (const std::string& name : names) {
        const auto found =
            std::ranges::find_if(benchmarks(), [&](const Benchmark& b) { return b.name == name; });
        if (found == benchmarks().end())
            throw std::runtime_error(fmt::format("no benchmark '{}'; there are: {}", name, known));
        selected.push_back(&*found);
    }
    return selected;
}

Figure measure(const Benchmark& benchmark, const Environment& environment) {
    const Json json = Json::parse(run_isolated([&] {
        const Figure figure = benchmark.measure(environment);
        return Json{{"value", figure.value}, {"reference", figure.reference}}.dump();
    }));
    return {json.at("value").get<double>(), json.at("reference").get<double>()};
}

int bench(const BenchOptions& options, Environment environment) {
    environment.machine = runtime::with_threads(environment.machine, parse_threads(options.threads));
    int status = Success;
    Json results = Json::array();
    for (const Benchmark* benchmark : select(options.names)) {
        try {
            const Figure figure = measure(*benchmark, environment);
            const double ratio = figure.reference != 0 ? figure.value / figure.reference : 0;
            results.push_back({{"name", benchmark->name},
                               {"value", figure.value},
                               {"unit", benchmark->unit},
                               {"reference", figure.reference},
                               {"reference_is", benchmark->reference_doc},
                               {"ratio", ratio}});
            if (options.json) continue;
            environment.out << fmt::format("{:<16} {:10.4g} {:<8} = {:.4g} x {:.4g} {} ({})\n",
                                           benchmark->name, figure.value, benchmark->unit, ratio,
                                           figure.reference, benchmark->unit, benchmark->reference_doc);
        } catch (const std::exception& error) {
            environment.err << fmt::format("trnsim: benchmark {}: {}\n", benchmark->name, error.what());
            status = SimulationError;
        }
    }
    if (options.json) environment.out << results.dump(2) << "\n";
    return status;
}

struct PythonBenchmark {
    const char* name;
    const char* doc;
};

// Those of the Python package, by their names in python/trnsim/bench/__main__.py.
constexpr std::array PythonBenchmarks{
    PythonBenchmark{"nki-overhead", "what a call of an NKI kernel costs on the host"},
    PythonBenchmark{"nki-simulation", "NKI kernels in the NumPy simulation, beside plain NumPy"},
    PythonBenchmark{"nki-latencies", "simulated times of NKI beside the published ones"},
};

std::string list_benchmarks() {
    std::string text = "Benchmarks:";
    for (const Benchmark& benchmark : benchmarks())
        text += fmt::format("\n  {:<16} {}", benchmark.name, benchmark.doc);
    text += "\n\nBenchmarks of the Python package, which python -m trnsim.bench NAME runs:";
    for (const PythonBenchmark& benchmark : PythonBenchmarks)
        text += fmt::format("\n  {:<16} {}", benchmark.name, benchmark.doc);
    return text;
}

}  // namespace

void declare_bench(CLI::App& app, const Environment& environment, int& status) {
    auto options = std::make_shared<BenchOptions>();
    app.add_option("name", options->names, "Benchmarks to run; all without a name");
    app.add_flag("--json", options->json, "Print JSON");
    declare_threads(app, options->threads);
    app.footer(list_benchmarks());
    app.callback([options, &environment, &status] { status = bench(*options, environment); });
}

}  // namespace trnsim::cli
