// trnsim info
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "arch/firmware/image.hpp"
#include "base/files/files.hpp"
#include "compiler/kernels/registry.hpp"
#include "compiler/neff/neff.hpp"
#include "compiler/neff/ring_order.hpp"
#include "compiler/neff/sizes.hpp"
#include "isa/instruction.hpp"
#include "runtime/loader/segments.hpp"
#include "runtime/loader/transfer_packets.hpp"
#include "tools/cli/commands.hpp"
#include "tools/command/target_config.hpp"

namespace trnsim::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 4> KindNames{"input", "output", "scratch",
                                                    "update"};  // in the order of TensorKind

std::string configuration_of(const neff::Package& package) {
    try {
        return config_for(package);
    } catch (const std::runtime_error&) {
        return "";
    }
}

// Counts the pairs of descriptors that a transfer takes in all iterations: one for each contiguous piece, and
// those of indices. For a collective, counts the descriptors that signal the members.
std::size_t descriptors_of(const neff::Package& package, const neff::Transfer& transfer) {
    const std::uint32_t iterations = neff::iterations_of(package, transfer);
    if (transfer.collective) return iterations * neff::members_of(*transfer.collective);
    const std::vector<std::uint64_t> tensors(package.tensors.size()), images(package.images.size());
    std::size_t descriptors = 0;
    const auto engines = static_cast<std::size_t>(package.target.dma_engines);
    for (std::uint32_t i = 0; i < iterations; ++i) {
        const auto segments = loader::expand(package, neff::at_iteration(transfer, i), {tensors, images});
        for (const loader::Segments& share : loader::even_shares(transfer, segments, engines))
            descriptors += loader::descriptors_of(transfer, share);
    }
    return descriptors;
}

Json engines_json(const neff::Package& package) {
    Json engines = Json::array();
    for (std::size_t e = 0; e < package.programs.size(); ++e) {
        std::map<std::string, std::size_t> counts;
        for (const isa::Instruction& instruction : package.programs[e]) {
            const isa::InstructionInfo* info = instruction.info();
            ++counts[info == nullptr ? "unknown" : std::string(info->name)];
        }
        engines.push_back({{"engine", name_of(static_cast<isa::Engine>(e))},
                           {"instructions", package.programs[e].size()},
                           {"of", counts}});
    }
    return engines;
}

Json queues_json(const neff::Package& package) {
    Json queues = Json::array();
    for (std::size_t q = 0; q < package.queues.size(); ++q) {
        std::size_t transfers = 0, descriptors = 0;
        std::uint64_t bytes = 0;
        for (const neff::Transfer& transfer : package.transfers) {
            if (transfer.queue != q) continue;
            const std::uint64_t iterations = neff::iterations_of(package, transfer);
            transfers += iterations;
            descriptors += descriptors_of(package, transfer);
            bytes += iterations * neff::moved_bytes(transfer);
        }
        queues.push_back({{"name", package.queues[q].name},
                          {"owner", name_of(package.queues[q].owner)},
                          {"transfers", transfers},
                          {"descriptors", descriptors},
                          {"bytes", bytes}});
    }
    return queues;
}

Json images_json(const neff::Package& package) {
    Json images = Json::array();
    for (const neff::GpsimdImage& image : package.images) {
        images.push_back({{"name", image.name},
                          {"bytes", image.bytes.size()},
                          {"operations", firmware::parse(image.bytes, image.name).operations}});
    }
    return images;
}

Json to_json(const neff::Package& package, std::uint64_t file_bytes) {
    Json tensors = Json::array();
    std::uint64_t tensor_bytes = 0, instructions = 0;
    for (const neff::Tensor& tensor : package.tensors) {
        tensors.push_back({{"name", tensor.name},
                           {"kind", KindNames[static_cast<std::size_t>(tensor.kind)]},
                           {"dtype", name_of(tensor.dtype)},
                           {"shape", tensor.shape},
                           {"bytes", neff::tensor_bytes(tensor)}});
        tensor_bytes += neff::tensor_bytes(tensor);
    }
    for (const auto& program : package.programs) instructions += program.size();
    const target::Core& target = package.target;
    return {{"kernel", package.name},
            {"arguments", package.arguments},
            {"built_in", kernels::is_built_in(package)},
            {"builder", package.origin.builder},
            {"source_lines", !package.sources.empty()},
            {"configuration", configuration_of(package)},
            {"target",
             {{"rows", target.rows},
              {"columns", target.columns},
              {"partitions", target.partitions},
              {"sbuf_partition", target.sbuf_partition},
              {"psum_partition", target.psum_partition},
              {"psum_banks", target.psum_banks},
              {"dma_engines", target.dma_engines},
              {"dma_rings", target.dma_rings},
              {"gpsimd_vlen", target.gpsimd_vlen}}},
            {"tensors", tensors},
            {"engines", engines_json(package)},
            {"queues", queues_json(package)},
            {"images", images_json(package)},
            {"bytes",
             {{"file", file_bytes},
              {"tensors", tensor_bytes},
              {"instructions", instructions * isa::InstructionBytes}}}};
}

Json to_json(const firmware::Image& image) {
    Json segments = Json::array(), functions = Json::array();
    for (const firmware::Segment& segment : image.segments) {
        segments.push_back(
            {{"address", segment.address}, {"bytes", segment.bytes.size()}, {"code", segment.executable}});
    }
    for (const firmware::Symbol& function : image.functions) {
        functions.push_back({{"address", function.address},
                             {"bytes", function.bytes},
                             {"name", function.name},
                             {"place", firmware::place(image, function.address)}});
    }
    return {{"vlen", image.vlen},
            {"entry", image.entry},
            {"segments", segments},
            {"operations", image.operations},
            {"functions", functions}};
}

std::string text_of(const Json& info) {
    const auto arguments = info["arguments"].get<std::string>();
    std::string text =
        fmt::format("{}{}{}\n", info["kernel"].get<std::string>(), arguments.empty() ? "" : " ", arguments);
    const auto row = [&text](std::string_view name, const std::string& value) {
        text += fmt::format("  {:<18} {}\n", name, value);
    };
    const auto number = [](const Json& json) { return json.get<std::uint64_t>(); };
    const std::string builder = info["builder"], configuration = info["configuration"];
    row("made by",
        fmt::format("{}{}, {} source lines", info["built_in"].get<bool>() ? "the built-in kernel, " : "",
                    builder.empty() ? "another program" : "trnsim " + builder,
                    info["source_lines"].get<bool>() ? "with" : "without"));
    const Json& target = info["target"];
    row("target",
        fmt::format("{}: {} x {} array, {} partitions of {} KiB SBUF and {} KiB PSUM in {} banks, "
                    "{} DMA engines with "
                    "{} rings, GpSimd cores with a VLEN of {}",
                    configuration.empty() ? "no shipped configuration" : configuration,
                    number(target["rows"]), number(target["columns"]), number(target["partitions"]),
                    number(target["sbuf_partition"]) / 1024, number(target["psum_partition"]) / 1024,
                    number(target["psum_banks"]), number(target["dma_engines"]), number(target["dma_rings"]),
                    number(target["gpsimd_vlen"])));
    for (const Json& tensor : info["tensors"]) {
        row(tensor["kind"].get<std::string>(),
            fmt::format("{} [{}] {}, {} bytes", tensor["name"].get<std::string>(),
                        fmt::join(tensor["shape"].get<std::vector<std::uint64_t>>(), ", "),
                        tensor["dtype"].get<std::string>(), number(tensor["bytes"])));
    }
    for (const Json& engine : info["engines"]) {
        if (number(engine["instructions"]) == 0) continue;
        std::string parts;
        for (const auto& [name, count] : engine["of"].items())
            parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", number(count), name);
        row(engine["engine"].get<std::string>(),
            fmt::format("{} instructions: {}", number(engine["instructions"]), parts));
    }
    for (const Json& queue : info["queues"]) {
        row("queue",
            fmt::format("{} of {}: {} transfers, {} descriptors each way, {} bytes",
                        queue["name"].get<std::string>(), queue["owner"].get<std::string>(),
                        number(queue["transfers"]), number(queue["descriptors"]), number(queue["bytes"])));
    }
    for (const Json& image : info["images"]) {
        row("image", fmt::format("{}: {}, {} bytes", image["name"].get<std::string>(),
                                 fmt::join(image["operations"].get<std::vector<std::string>>(), ", "),
                                 number(image["bytes"])));
    }
    const Json& bytes = info["bytes"];
    row("size", fmt::format("{} bytes of file, {} of tensors, {} of instructions", number(bytes["file"]),
                            number(bytes["tensors"]), number(bytes["instructions"])));
    return text;
}

}  // namespace

void declare_info(Subcommand app, const Environment& environment, int& status) {
    auto path = std::make_shared<std::string>();
    auto json = std::make_shared<bool>(false);
    app.add_option("kernel", *path, "A compiled kernel, .neff, or an image for GpSimd cores, .lib")
        .required();
    app.add_flag("--json", *json, "Print JSON");
    app.callback([path, json, &environment] {
        const auto bytes = files::read(*path);
        if (firmware::is_image(bytes)) {
            const firmware::Image image = firmware::parse(bytes, *path);
            environment.out << (*json ? to_json(image).dump(1) + "\n" : firmware::list(image));
            return;
        }
        const neff::Package package = neff::parse(bytes, *path);
        const Json info = to_json(package, std::filesystem::file_size(*path));
        environment.out << (*json ? info.dump(1) + "\n" : text_of(info));
    });
}

}  // namespace trnsim::cli
