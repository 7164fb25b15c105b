#include "tools/cli/completion_values.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <set>
#include <span>
#include <sstream>

#include "arch/config/network.hpp"
#include "arch/config/server.hpp"
#include "compiler/kernels/registry.hpp"
#include "compiler/neff/neff.hpp"
#include "isa/isa_tables.hpp"
#include "model/core/core_model.hpp"
#include "tools/bench/benchmark.hpp"
#include "tools/nccom/test.hpp"
#include "tools/regress/list.hpp"
#include "tools/sweep/metrics.hpp"

namespace trnsim::cli {
namespace {

using Words = std::vector<Completions::Word>;

const Completions::Word Files{":files", ""};

template <typename Names>
Words words_of(const Names& names) {
    Words words;
    for (const auto& name : names) words.push_back({std::string(name), ""});
    return words;
}

Words split(std::string_view text) {
    std::istringstream stream{std::string(text)};
    Words words;
    for (std::string word; stream >> word;) words.push_back({word, ""});
    return words;
}

Words with_files(Words words) {
    words.push_back(Files);
    return words;
}

Words configurations(const CompletionPlace&) {
    return with_files(words_of(config::shipped()));
}

Words servers(const CompletionPlace&) {
    return with_files(words_of(config::shipped_servers()));
}

Words chips_and_servers(const CompletionPlace& place) {
    Words words = words_of(config::shipped());
    std::ranges::move(servers(place), std::back_inserter(words));
    return words;
}

Words networks(const CompletionPlace&) {
    return with_files(words_of(config::shipped_networks()));
}

Words kernels_of(const CompletionPlace&) {
    Words words;
    for (const kernels::Kernel& kernel : kernels::kernels())
        words.push_back({std::string(kernel.name), std::string(kernel.doc)});
    return words;
}

Words benchmarks(const CompletionPlace&) {
    Words words;
    for (const bench::Benchmark& benchmark : bench::benchmarks())
        words.push_back({std::string(benchmark.name), std::string(benchmark.doc)});
    return words;
}

Words metrics(const CompletionPlace&) {
    Words words;
    for (const sweep::Metric& metric : sweep::metrics())
        words.push_back({std::string(metric.name), std::string(metric.doc)});
    return words;
}

// Names of the rows of a table.
template <typename Table>
Words rows_of(const Table& table) {
    Words words;
    for (const auto& row : table) words.push_back({std::string(row.name), ""});
    return words;
}

Words operations(const CompletionPlace&) {
    return rows_of(nccom::operation_names());
}

Words types(const CompletionPlace&) {
    return rows_of(nccom::type_names());
}

Words element_types(const CompletionPlace&) {
    return rows_of(isa::dtype_values());
}

// "bf16, fp16, ..." of matmuls.
Words matmul_types(const CompletionPlace&) {
    std::string names = kernels::matmul_dtype_names();
    std::ranges::replace(names, ',', ' ');
    return split(names);
}

Words scopes(const CompletionPlace&) {
    Words words = words_of(tlm::WaveScopes);
    words.push_back({std::string(tlm::WholeCore), ""});
    return words;
}

// The first word of the line that is a file.
std::string file_of(const CompletionPlace& place) {
    std::error_code unreachable;
    for (const std::string& word : place.words)
        if (std::filesystem::is_regular_file(word, unreachable)) return word;
    return "";
}

// "NAME=" for each tensor of the kernel on the line; the sign is part of the value's form.
template <bool (*Has)(neff::TensorKind)>
Words tensors(const CompletionPlace& place) {
    const std::string file = file_of(place);
    Words words{Files};  // after the sign
    if (file.empty()) return words;
    for (const neff::Tensor& tensor : neff::read(file).tensors)
        if (Has(tensor.kind)) words.push_back({tensor.name + "=", std::string(name_of(tensor.dtype))});
    return words;
}

Words tags(const CompletionPlace& place) {
    std::set<std::string> names;
    for (const regress::Case& one : regress::read_list(file_of(place)).cases)
        names.insert(one.tags.begin(), one.tags.end());
    return words_of(names);
}

Words configurations_of_list(const CompletionPlace& place) {
    std::set<std::string> names;
    for (const auto& [text, config] : regress::read_list(file_of(place)).configs) names.insert(config.name);
    return words_of(names);
}

template <const char* Text>
Words fixed(const CompletionPlace&) {
    return split(Text);
}

constexpr char Fidelities[] = "rtl fast", Executors[] = "local slurm", Truth[] = "true false",
               Views[] = "core tensor vector scalar gpsimd rounding dma hbm link";

// Values that are neither files nor numbers. A row without a command is for those that have no row of their
// own.
struct Row {
    std::string_view command, name;
    Words (*values)(const CompletionPlace&);
};
constexpr auto Inputs = tensors<neff::is_input>, Outputs = tensors<neff::is_output>;
constexpr std::array Rows{
    Row{"", "--config", configurations},
    Row{"run", "--config", chips_and_servers},
    Row{"profile", "--config", chips_and_servers},
    Row{"wave", "--config", chips_and_servers},
    Row{"launch", "--config", servers},
    Row{"nccom-test", "--config", servers},
    Row{"regress", "--config", configurations_of_list},
    Row{"", "config", chips_and_servers},
    Row{"", "--chip", configurations},
    Row{"", "--network", networks},
    Row{"", "--fidelity", fixed<Fidelities>},
    Row{"", "--executor", fixed<Executors>},
    Row{"", "--stochastic-rounding", fixed<Truth>},
    Row{"", "--view", fixed<Views>},
    Row{"", "--wave-scope", scopes},
    Row{"", "--tag", tags},
    Row{"", "--pareto", metrics},
    Row{"", "--importance", metrics},
    Row{"", "--input", Inputs},
    Row{"run", "--output", Outputs},
    Row{"launch", "--output", Outputs},
    Row{"profile", "--output", Outputs},
    Row{"wave", "--output", Outputs},
    Row{"", "--expect", Outputs},
    Row{"kernel build", "kernel", kernels_of},
    Row{"bench", "name", benchmarks},
    Row{"nccom-test", "operation", operations},
    Row{"nccom-test", "--datatype", types},
    Row{"import scale-sim", "--base", configurations},
    Row{"import deepbench", "--base", configurations},
    Row{"import astra-sim", "--base", servers},
    Row{"import scale-sim", "--dtype", matmul_types},
    Row{"import deepbench", "--dtype", matmul_types},
    Row{"import chakra", "--dtype", element_types},
};

const kernels::Kernel* kernel_of(const CompletionPlace& place) {
    if (place.command != "kernel build") return nullptr;
    for (const std::string& word : place.words) {
        const auto found = std::ranges::find(kernels::kernels(), word, &kernels::Kernel::name);
        if (found != kernels::kernels().end()) return &*found;
    }
    return nullptr;
}

// Values of an argument of the kernel on the line.
std::optional<Words> argument_values(const CompletionPlace& place, std::string_view name) {
    const kernels::Kernel* kernel = kernel_of(place);
    if (kernel == nullptr || !name.starts_with("--")) return std::nullopt;
    for (const kernels::ArgumentInfo& info : kernel->arguments) {
        if (info.name != name.substr(2)) continue;
        if (info.kind == kernels::ArgumentKind::Choice) return split(info.choices);
        if (info.kind == kernels::ArgumentKind::Dtype) return matmul_types(place);
        if (info.kind == kernels::ArgumentKind::AnyDtype) return element_types(place);
        return Words{};
    }
    return std::nullopt;
}

}  // namespace

std::optional<Words> values_of(const CompletionPlace& place, std::string_view name) {
    if (auto words = argument_values(place, name)) return words;
    const Row* general = nullptr;
    for (const Row& row : Rows) {
        if (row.name != name) continue;
        if (row.command == place.command) return row.values(place);
        if (row.command.empty()) general = &row;
    }
    return general == nullptr ? std::nullopt : std::optional(general->values(place));
}

Words kernel_arguments_of(const CompletionPlace& place) {
    Words words;
    if (const kernels::Kernel* kernel = kernel_of(place)) {
        for (const kernels::ArgumentInfo& info : kernel->arguments)
            words.push_back({"--" + std::string(info.name), std::string(info.doc)});
    }
    return words;
}

}  // namespace trnsim::cli
