#include "tools/demo/demo.hpp"

#include <fmt/ostream.h>

#include <cstring>
#include <optional>

#include "arch/target/target.hpp"
#include "base/files/files.hpp"
#include "compiler/kernels/registry.hpp"
#include "runtime/session/chip_machine.hpp"
#include "runtime/session/report.hpp"
#include "runtime/session/runner.hpp"
#include "runtime/session/trace_writer.hpp"
#include "tools/demo/network.hpp"

namespace trnsim::demo {
namespace {

constexpr std::size_t Training = 1437;  // samples the network is fitted to; the rest are held out
constexpr double RequiredAccuracy = 0.90;

// Window of the waveform in cycles from the start of the engines: the first loads arrive and the engines
// start to work.
constexpr std::uint64_t WaveFirst = 4000, WaveLast = 16000;

npy::Array bf16_array(const std::vector<std::uint32_t>& bits, std::uint64_t rows) {
    npy::Array array{npy::Type::V2, {rows, bits.size() / rows}, {}};
    for (const std::uint32_t element : bits) {
        array.data.push_back(static_cast<std::uint8_t>(element));
        array.data.push_back(static_cast<std::uint8_t>(element >> 8));
    }
    return array;
}

npy::Array fp32_array(const std::vector<float>& values) {
    npy::Array array{npy::Type::F4, {values.size()}, {}};
    array.data.resize(values.size() * sizeof(float));
    std::memcpy(array.data.data(), values.data(), array.data.size());
    return array;
}

std::vector<float> fp32_values(const npy::Array& array) {
    std::vector<float> values(array.data.size() / sizeof(float));
    std::memcpy(values.data(), array.data.data(), array.data.size());
    return values;
}

std::size_t count_equal(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
    std::size_t equal = 0;
    for (std::size_t i = 0; i < a.size(); ++i) equal += a[i] == b[i] ? 1 : 0;
    return equal;
}

runtime::Arrays inputs_of(const Network& network, const std::vector<std::uint32_t>& samples) {
    return {{"x", bf16_array(samples, Digits::Pixels)},
            {"w1", bf16_array(network.w1, Digits::Pixels)},
            {"b1", fp32_array(network.b1)},
            {"w2", bf16_array(network.w2, network.hidden)},
            {"b2", fp32_array(network.b2)}};
}

// The results of the core.
struct Verdict {
    bool exact = false;            // outputs equal the host's bit for bit
    std::size_t labels_equal = 0;  // labels equal to the host's, among all
    std::size_t right = 0;         // right labels among the held-out digits
};

Verdict judge(const Digits& digits, const std::vector<float>& expected, const std::vector<float>& got) {
    const std::vector<std::uint8_t> labels = labels_of(got, digits.size());
    const std::vector<std::uint8_t> host = labels_of(expected, digits.size());
    return {std::memcmp(expected.data(), got.data(), expected.size() * sizeof(float)) == 0,
            count_equal(labels, host),
            count_equal(std::span(labels).subspan(Training), std::span(digits.labels).subspan(Training))};
}

}  // namespace

int run_demo(const Options& options, std::ostream& out) {
    const config::Config config = config::load(options.config);
    const target::Core target = target::of(config);
    const Digits digits = read_digits(find_digits());
    const auto rows = static_cast<std::size_t>(target.rows);
    const Network network = fit_network(digits, Training, options.hidden, rows);
    const std::vector<std::uint32_t> samples = samples_of(digits, 0, digits.size());
    const neff::Package package = kernels::build_kernel("mlp",
                                                        {{"batch", std::to_string(digits.size())},
                                                         {"inputs", std::to_string(Digits::Pixels)},
                                                         {"hidden", std::to_string(options.hidden)},
                                                         {"outputs", std::to_string(Digits::Classes)},
                                                         {"dtype", "bf16"}},
                                                        target);
    const runtime::Prepared prepared = runtime::prepare(package, config, inputs_of(network, samples));

    std::filesystem::create_directories(options.directory);
    const std::filesystem::path wave = options.directory / "demo.fst";
    const std::filesystem::path trace = options.directory / "demo-trace.json";
    fmt::print(out, "Classifying {} handwritten digits: {} -> {} -> {} units, bf16, on the RTL core of {}\n",
               digits.size(), Digits::Pixels, options.hidden, Digits::Classes, config.name);
    out.flush();

    std::optional<files::ForeignFile> wave_file;
    if (options.wave) wave_file.emplace(wave);
    files::OutputFile trace_file(trace);
    runtime::TraceWriter writer(trace_file.stream());
    runtime::Observer observer(package, &writer);
    runtime::ChipMachine machine(config, {.sink = &observer});
    if (wave_file) machine.record_wave({wave_file->temporary(), {}, WaveFirst, WaveLast, true});
    const runtime::Result result = runtime::execute(machine, package, prepared, observer);
    writer.finish();
    trace_file.commit();
    if (wave_file) wave_file->commit(machine.close_wave());

    out << runtime::summary(result, package, config, estimates::load_tables());
    if (!result.done()) {
        fmt::print(out, "  {}\n", result.message);
        return 1;
    }
    const std::vector<float> expected = reference_outputs(network, samples, digits.size(), rows);
    const Verdict verdict = judge(digits, expected, fp32_values(result.outputs.at("y")));
    const std::size_t held_out = digits.size() - Training;
    const double accuracy = static_cast<double>(verdict.right) / static_cast<double>(held_out);
    const auto row = [&](std::string_view name, const std::string& value) {
        fmt::print(out, "  {:<18} {}\n", name, value);
    };
    row("labels", fmt::format("{} of {} equal to the host's, outputs {}", verdict.labels_equal, digits.size(),
                              verdict.exact ? "equal bit for bit" : "NOT equal bit for bit"));
    row("accuracy", fmt::format("{:.1f} % of {} digits not used for fitting", 100 * accuracy, held_out));
    if (options.wave)
        row("waveform", fmt::format("{} (cycles {} to {})", wave.string(), WaveFirst, WaveLast));
    row("trace", fmt::format("{} (open in ui.perfetto.dev)", trace.string()));
    if (accuracy < RequiredAccuracy)
        fmt::print(out, "  accuracy is below the {:.0f} % that the demo is to reach\n",
                   100 * RequiredAccuracy);
    return verdict.exact && accuracy >= RequiredAccuracy ? 0 : 1;
}

}  // namespace trnsim::demo
