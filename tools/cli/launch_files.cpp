#include "tools/cli/launch_files.hpp"

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

}  // namespace

void check_files(const LaunchOptions& options, const LaunchFiles& given, std::uint32_t ranks) {
    files::Roles roles;
    for (const std::string& kernel : options.kernels) roles.add_input("the kernel", kernel);
    roles.add_inputs("--config", config::files_of_server(options.server));
    if (!options.chip.empty()) roles.add_inputs("--chip", config::files_of(options.chip));
    if (options.checkpoints.resumes()) roles.add_input("--resume", options.checkpoints.resume);
    for (const auto& [name, path] : given.inputs) {
        for (std::uint32_t rank = 0; rank < (has_mark(path) ? ranks : 1); ++rank)
            roles.add_input(fmt::format("--input {}", name), of_rank(path, rank));
    }
    for (const auto& [name, file] : given.outputs) {
        const std::filesystem::path& path = file.path;
        if (ranks > 1 && !has_mark(path))
            throw std::runtime_error(
                fmt::format("--output {}={}: expected {} in the name, for the files of {} "
                            "ranks",
                            name, path.string(), RankMark, ranks));
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            roles.add_output(fmt::format("--output {}", name), of_rank(path, rank));
            files::check_writable(of_rank(path, rank));
        }
    }
    for (const auto& [option, path] : {std::pair<const char*, const std::string&>{"--stats", options.stats},
                                       {"--save-checkpoint", options.checkpoints.save_checkpoint},
                                       {"--trace", options.trace},
                                       {"--wave", options.wave}}) {
        if (path.empty()) continue;
        roles.add_output(option, path);
        files::check_writable(path);
    }
    if (options.wave.empty()) return;
    waves::check_name("--wave", options.wave);
    waves::add_beside_server(roles, "--wave", options.wave);
}

void check_outputs(const LaunchFiles& files, std::span<const std::shared_ptr<const neff::Package>> packages) {
    for (const auto& [name, file] : files.outputs) {
        for (std::size_t rank = 0; rank < packages.size(); ++rank) {
            const auto& tensors = packages[rank]->tensors;
            const bool known = std::ranges::any_of(tensors, [&wanted = name](const neff::Tensor& tensor) {
                return neff::is_output(tensor.kind) && tensor.name == wanted;
            });
            if (!known)
                throw std::runtime_error(
                    fmt::format("--output {}={}: rank {}: kernel '{}' has no such output", name,
                                file.path.string(), rank, packages[rank]->name));
        }
    }
}

runtime::Arrays inputs_of(const neff::Package& package, const LaunchFiles& files, std::uint32_t rank,
                          const std::optional<std::uint64_t>& seed) {
    runtime::Arrays arrays;
    for (const auto& [name, path] : files.inputs) arrays.emplace(name, npy::read(of_rank(path, rank)));
    for (const neff::Tensor& tensor : package.tensors) {
        if (seed && neff::is_input(tensor.kind) && !arrays.contains(tensor.name))
            arrays.emplace(tensor.name,
                           loader::from_device(tensor, trial::random_input(package, tensor, *seed + rank)));
    }
    return arrays;
}

void write_outputs(const neff::Package& package, const LaunchFiles& files, std::uint32_t rank,
                   const runtime::Arrays& arrays) {
    for (const neff::Tensor& tensor : package.tensors) {
        const auto output = files.outputs.find(tensor.name);
        if (output == files.outputs.end()) continue;
        const npy::Array& array = arrays.at(tensor.name);
        npy::write(of_rank(output->second.path, rank),
                   output->second.as_fp32 ? loader::as_fp32(tensor, array) : array);
    }
}

}  // namespace trnsim::cli
