#include "runtime/loader/image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>
#include <utility>

#include "arch/activation/table_image.hpp"
#include "compiler/neff/check.hpp"
#include "compiler/neff/sizes.hpp"
#include "runtime/loader/error.hpp"
#include "runtime/loader/kernel_rings.hpp"
#include "runtime/loader/target.hpp"

namespace trnsim::loader {
namespace {

constexpr std::uint64_t TensorAlign = 4096;
constexpr std::uint64_t ProgramAlign = 4096;
constexpr std::uint64_t TableAlign = 4096;  // so that whole bursts are read
constexpr std::uint64_t ImageAlign = 4096;
constexpr std::uint64_t FetchPastEnd =
    std::uint64_t{256} * isa::InstructionBytes;  // a sequencer's deepest prefetch reads this far

// Places the largest tensors first, each in the stack with the fewest bytes, so that the stacks share the
// bytes.
std::vector<std::uint64_t> place_tensors(const neff::Package& package, const Placed& placed, Blocks& hbm) {
    std::vector<std::size_t> order(package.tensors.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>{},
                             [&](std::size_t i) { return neff::tensor_bytes(package.tensors[i]); });
    std::vector<std::uint64_t> addresses(package.tensors.size());
    for (const std::size_t i : order) {
        const neff::Tensor& tensor = package.tensors[i];
        const bool elsewhere = i < placed.size() && placed[i];
        addresses[i] = elsewhere ? *placed[i]
                                 : hbm.allocate(neff::tensor_bytes(tensor), TensorAlign,
                                                fmt::format("tensor '{}'", tensor.name));
    }
    return addresses;
}

isa::ActivationSet table_set(const isa::Instruction& instruction) {
    return static_cast<isa::ActivationSet>(instruction.get(isa::field::TableSet));
}

// The core refuses a code that is no set.
void plan_tables(const neff::Package& package, Blocks& hbm, Image& image) {
    for (const auto& program : package.programs) {
        for (const isa::Instruction& instruction : program) {
            if (instruction.opcode() != isa::Opcode::ActTableLoad) continue;
            const isa::ActivationSet set = table_set(instruction);
            if (!activation::is_set(set) || image.tables.contains(set)) continue;
            Tables& tables = image.tables[set];
            tables.bytes = activation::table_image(set);
            tables.address = hbm.allocate(tables.bytes.size(), TableAlign,
                                          fmt::format("the activation tables {}", isa::name_of(set)));
        }
    }
}

// Replaces the set that an act_table_load names in a package by the place of its tables in memory.
isa::Instruction rewrite_table_load(const Image& image, isa::Instruction instruction) {
    const auto tables = image.tables.find(table_set(instruction));
    if (tables == image.tables.end()) return instruction;
    return instruction.set(isa::field::TableAddress, tables->second.address)
        .set(isa::field::TableBeats, tables->second.bytes.size() / activation::BeatBytes);
}

// Replaces the transfer that a dma_trigger names in a package by a doorbell.
isa::Instruction rewrite(const neff::Package& package, const Image& image, isa::Instruction instruction) {
    if (instruction.opcode() == isa::Opcode::ActTableLoad) return rewrite_table_load(image, instruction);
    if (instruction.opcode() != isa::Opcode::DmaTrigger) return instruction;
    const std::uint64_t id = instruction.get(isa::field::Address);
    const std::uint64_t engines =
        package.transfers[id].collective ? 1 : (std::uint64_t{1} << package.target.dma_engines) - 1;
    return instruction
        .set(isa::field::Address,
             dma::ring_address(0, package.transfers[id].queue, dma::RingRegister::Doorbell, image.core))
        .set(isa::field::EngineStride, dma::EngineStride)
        .set(isa::field::EngineMask, engines)
        .set(isa::field::M2sCount, image.transfers[id].count)
        .set(isa::field::S2mCount, image.transfers[id].count);
}

void plan_programs(const neff::Package& package, Blocks& hbm, Image& image) {
    for (std::size_t e = 0; e < image.programs.size(); ++e) {
        const auto& source = package.programs[e];
        if (source.empty()) continue;
        ProgramImage& program = image.programs[e];
        for (const isa::Instruction& instruction : source) {
            program.instructions.push_back(rewrite(package, image, instruction));
        }
        program.address = hbm.allocate(source.size() * isa::InstructionBytes + FetchPastEnd, ProgramAlign,
                                       fmt::format("the {} program", name_of(static_cast<isa::Engine>(e))));
    }
}

void check_begins(const neff::Package& package, const Begins& begins) {
    const auto first = std::ranges::find_if(
        package.transfers, [](const neff::Transfer& transfer) { return transfer.collective.has_value(); });
    if (first == package.transfers.end() || !begins.empty()) return;
    throw Error(fmt::format(
        "kernel '{}' has collectives of {} ranks, expected as many cores of a server: trnsim launch",
        package.name, first->collective->request.ranks));
}

}  // namespace

Image plan(const neff::Package& package, const config::Config& config, Blocks& hbm, const Placed& placed,
           std::uint32_t notifications, unsigned core, Begins begins) {
    neff::check(package);
    check_target(package, config);
    check_begins(package, begins);
    Image image;
    image.core = core;
    image.split_by_partitions = config.dma.split == "partitions";
    image.begins = std::move(begins);
    image.tensor_address = place_tensors(package, placed, hbm);
    image.one_address = hbm.allocate(ScratchSlot, ScratchSlot, "scratch memory");
    image.scratch = hbm.allocate(ScratchSlot * config.dma.engines, ScratchSlot, "scratch memory");
    for (const neff::GpsimdImage& gpsimd : package.images) {
        image.gpsimd.push_back(neff::contents_of(gpsimd));
        image.gpsimd_address.push_back(hbm.allocate(image.gpsimd.back().bytes.size(), ImageAlign,
                                                    fmt::format("image '{}'", gpsimd.name)));
    }
    plan_rings(package, hbm, image);
    plan_tables(package, hbm, image);
    plan_programs(package, hbm, image);
    if (notifications != 0) {
        image.notifications = {hbm.allocate(std::uint64_t{notifications} * isa::notification_record::Bytes,
                                            ProgramAlign, "the notification queue"),
                               notifications};
    }
    return image;
}

void point_rings(const neff::Package& package, Image& image, std::vector<std::uint64_t> tensor_address) {
    image.tensor_address = std::move(tensor_address);
    write_rings(package, image);
}

}  // namespace trnsim::loader
