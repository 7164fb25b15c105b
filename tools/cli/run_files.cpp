#include "tools/cli/run_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "arch/config/files_of.hpp"
#include "base/files/files.hpp"
#include "base/files/roles.hpp"
#include "runtime/loader/tensor_io.hpp"
#include "runtime/waves/outputs.hpp"
#include "testbench/trial/inputs.hpp"
#include "tools/cli/command.hpp"
#include "tools/cli/run_request.hpp"
#include "tools/command/target_config.hpp"

namespace trnsim::cli {
namespace {

constexpr std::string_view RankMark = "{rank}";

std::filesystem::path of_rank(const std::filesystem::path& path, std::uint32_t rank) {
    std::string text = path.string();
    for (std::size_t at = 0; (at = text.find(RankMark, at)) != std::string::npos;)
        text.replace(at, RankMark.size(), std::to_string(rank));
    return text;
}

bool has_mark(const std::filesystem::path& path) {
    return path.string().find(RankMark) != std::string::npos;
}

void add_inputs(files::Roles& roles, const RunOptions& options, const RunFiles& given, std::uint32_t ranks) {
    for (const std::string& kernel : kernels_of(options)) roles.add_input("the kernel", kernel);
    if (options.server)
        roles.add_inputs("--config", config::files_of_server(options.config));
    else if (!options.config.empty())
        roles.add_inputs("--config", config::files_of(config_of_chips(options.config)));
    if (options.server && !options.server->chip.empty())
        roles.add_inputs("--chip", config::files_of(options.server->chip));
    if (options.checkpoints.resumes()) roles.add_input("--resume", options.checkpoints.resume);
    for (const auto& [name, path] : given.inputs) {
        for (std::uint32_t rank = 0; rank < (has_mark(path) ? ranks : 1); ++rank)
            roles.add_input(fmt::format("--input {}", name), of_rank(path, rank));
    }
    for (const auto& [name, path] : given.expected) roles.add_input(fmt::format("--expect {}", name), path);
}

// Returns the files that are to be written, each with its option.
std::vector<std::pair<std::string, std::filesystem::path>> outputs_of(const RunOptions& options,
                                                                      const RunFiles& given,
                                                                      std::uint32_t ranks) {
    std::vector<std::pair<std::string, std::filesystem::path>> written;
    for (const auto& [name, file] : given.outputs) {
        if (ranks > 1 && !has_mark(file.path))
            throw std::runtime_error(
                fmt::format("--output {}={}: expected {} in the name, for the files of {} "
                            "ranks",
                            name, file.path.string(), RankMark, ranks));
        for (std::uint32_t rank = 0; rank < ranks; ++rank)
            written.emplace_back(fmt::format("--output {}", name), of_rank(file.path, rank));
    }
    for (const auto& [option, path] : {std::pair<const char*, const std::string&>{"--wave", options.wave},
                                       {"--wave-on-error", options.wave_on_error},
                                       {"--trace", options.trace},
                                       {"--stats", options.stats},
                                       {"--notifications", options.notifications},
                                       {"--save-checkpoint", options.checkpoints.save_checkpoint},
                                       {"--itrace", options.itrace}}) {
        if (!path.empty()) written.emplace_back(option, path);
    }
    for (const auto& [option, path] : options.further) written.emplace_back(option, path);
    return written;
}

}  // namespace

std::vector<std::string> kernels_of(const RunOptions& options) {
    return options.server ? options.server->kernels : std::vector{options.kernel};
}

void check_files(const RunOptions& options, const RunFiles& given, std::uint32_t ranks) {
    files::Roles roles;
    add_inputs(roles, options, given, ranks);
    for (const auto& [what, path] : outputs_of(options, given, ranks)) {
        roles.add_output(what, path);
        files::check_writable(path);
    }
    const bool of_links = options.server && !options.server->wave_rank;
    if (of_links && !options.wave.empty()) return waves::add_beside_server(roles, "--wave", options.wave);
    for (const auto& [what, path] : {std::pair<const char*, const std::string&>{"--wave", options.wave},
                                     {"--wave-on-error", options.wave_on_error}})
        if (!path.empty()) waves::add_beside_core(roles, what, path, options.wave_scopes);
}

namespace {

const neff::Tensor* find_output(const neff::Package& package, const std::string& name) {
    const auto found = std::ranges::find_if(package.tensors, [&name](const neff::Tensor& tensor) {
        return neff::is_output(tensor.kind) && tensor.name == name;
    });
    return found == package.tensors.end() ? nullptr : &*found;
}

[[noreturn]] void refuse_output(const neff::Package& package, const std::string& name) {
    throw std::runtime_error(fmt::format("kernel '{}' has no output '{}'; its outputs: {}", package.name,
                                         name, loader::names_of(package, neff::is_output)));
}

}  // namespace

void check_outputs(const RunRequest& request) {
    for (const auto& [name, file] : request.files.outputs) {
        for (std::uint32_t rank = 0; rank < request.ranks(); ++rank) {
            const neff::Package& package = *request.packages[rank];
            const neff::Tensor* tensor = find_output(package, name);
            if (tensor == nullptr && !request.server) refuse_output(package, name);
            if (tensor == nullptr)
                throw std::runtime_error(
                    fmt::format("--output {}={}: rank {}: kernel '{}' has no such output", name,
                                file.path.string(), rank, package.name));
            if (file.as_fp32)
                loader::as_fp32(*tensor, loader::from_device(*tensor, {}));  // throws if impossible
        }
    }
}

void check_outputs(const neff::Package& package, const std::map<std::string, std::filesystem::path>& named) {
    for (const auto& [name, path] : named)
        if (find_output(package, name) == nullptr) refuse_output(package, name);
}

runtime::Contents inputs_of(const neff::Package& package, const RunFiles& files, std::uint32_t rank,
                            const std::optional<std::uint64_t>& seed) {
    loader::Inputs inputs;
    for (const auto& [name, path] : files.inputs) inputs.emplace(name, loader::input_of(of_rank(path, rank)));
    for (const neff::Tensor& tensor : package.tensors) {
        if (seed && neff::is_input(tensor.kind) && !inputs.contains(tensor.name))
            inputs.emplace(tensor.name,
                           loader::input_of(tensor, trial::random_content(package, tensor, *seed + rank)));
    }
    return loader::contents_of(package, inputs, [](std::size_t) { return false; });
}

namespace {

// Writes an array, in fp32 if that is asked for, without a copy of all of it.
void write_output(const std::filesystem::path& path, const neff::Tensor& tensor, const npy::Array& array,
                  bool as_fp32) {
    if (!as_fp32 || array.type == npy::Type::F4) return npy::write(path, array);
    npy::OutputFile file(path, npy::Type::F4, array.shape);
    const std::span<const std::uint8_t> data(array.data);
    for (std::size_t done = 0; done < data.size(); done += loader::PieceBytes)
        file.write(loader::as_fp32(
            tensor, data.subspan(done, std::min<std::size_t>(loader::PieceBytes, data.size() - done))));
    file.commit();
}

}  // namespace

void write_outputs(const neff::Package& package, const RunFiles& files, std::uint32_t rank,
                   const runtime::Arrays& arrays, const Wrote& wrote) {
    for (const neff::Tensor& tensor : package.tensors) {
        const auto output = files.outputs.find(tensor.name);
        if (output == files.outputs.end()) continue;
        const npy::Array& array = arrays.at(tensor.name);
        const std::filesystem::path path = of_rank(output->second.path, rank);
        write_output(path, tensor, array, output->second.as_fp32);
        if (wrote) wrote(tensor.name, path);
    }
}

}  // namespace trnsim::cli
