#include "runtime/session/image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>
#include <utility>

#include "arch/activation/table_image.hpp"
#include "compiler/neff/check.hpp"
#include "compiler/neff/ring_order.hpp"
#include "compiler/neff/sizes.hpp"
#include "runtime/session/error.hpp"
#include "runtime/session/packets.hpp"
#include "runtime/session/segments.hpp"
#include "runtime/session/target.hpp"

namespace trnsim::runtime {
namespace {

constexpr std::uint64_t TensorAlign = 4096;
constexpr std::uint64_t ProgramAlign = 4096;
constexpr std::uint64_t TableAlign = 4096;  // so that whole bursts are read
constexpr std::uint64_t ImageAlign = 4096;
constexpr std::uint64_t FetchPastEnd =
    std::uint64_t{256} * isa::InstructionBytes;  // a sequencer's deepest prefetch reads this far
constexpr std::uint32_t MinRingSize = 32;
static_assert(neff::MaxRingDescriptors == dma::MaxRingSize);
constexpr std::uint32_t SemaphoreBytes = 4;
constexpr std::uint32_t DummyBytes = 4;
constexpr std::uint32_t FlagBytes = 4;  // of a collective core
// An engine's own scratch bytes, so that no two engines write the same ones.
constexpr std::uint64_t DummySlot = 64;

using Segments = std::vector<Segment>;

// Descriptors that every engine needs for an iteration of a transfer, given the segments of all.
std::uint16_t count_of(const neff::Transfer& transfer, const std::vector<Segments>& iterations,
                       std::size_t engines) {
    std::size_t most = 0;
    for (const Segments& one : iterations) {
        for (std::size_t e = 0; e < engines; ++e)
            most = std::max(most, descriptors_of(transfer, share_of(transfer, one, e, engines)));
    }
    if (most + 1 > neff::MaxDescriptors) {
        throw Error(
            fmt::format("transfer '{}' has {} descriptors for one of {} DMA engines, expected at most {}",
                        transfer.name, most, engines, neff::MaxDescriptors - 1));
    }
    return static_cast<std::uint16_t>(most + 1);
}

// Adds `count` descriptors of each direction to every engine's ring.
void add_transfer(std::vector<Ring>& engines, const neff::Transfer& transfer, const Segments& segments,
                  std::size_t count, const Image& image) {
    const auto ring_id = static_cast<std::uint8_t>(transfer.queue % 4);
    const std::uint64_t semaphore = addresses::core_window(image.core) + isa::window::SemInc +
                                    std::uint64_t{SemaphoreBytes} * transfer.semaphore;
    for (std::size_t e = 0; e < engines.size(); ++e) {
        const Segments share = share_of(transfer, segments, e, engines.size());
        add_packets(engines[e], ring_id, share, transfer);
        const std::uint64_t slot = image.scratch + e * DummySlot;
        for (std::size_t i = descriptors_of(transfer, share); i + 1 < count; ++i) {
            add_packet(engines[e], ring_id, {slot, slot + DummyBytes, DummyBytes}, false);
        }
        add_packet(engines[e], ring_id, {image.one_address, semaphore, SemaphoreBytes}, true);
    }
}

// Adds collectives to the ring of the first engine.
void add_collectives(Ring& ring, const neff::Package& package, const neff::RingOrder::Section& section,
                     Image& image) {
    const auto first = static_cast<std::uint32_t>(ring.m2s.size());
    std::uint32_t stride = 0;
    for (const std::uint32_t id : section.transfers) {
        const auto count = static_cast<std::uint16_t>(image.begins[id].front().size());
        image.transfers[id] = {first + stride, count, 0, section.iterations};
        stride += count;
    }
    for (const std::uint32_t id : section.transfers) image.transfers[id].stride = stride;
    for (std::uint32_t i = 0; i < section.iterations; ++i) {
        for (const std::uint32_t id : section.transfers) {
            const auto ring_id = static_cast<std::uint8_t>(package.transfers[id].queue % 4);
            for (const std::uint64_t begin : image.begins[id][i])
                add_packet(ring, ring_id, {image.one_address, begin, FlagBytes}, false);
        }
    }
}

// Adds a loop, or transfers that are in none, to the rings of their queue.
void add_section(std::vector<Ring>& engines, const neff::Package& package,
                 const neff::RingOrder::Section& section, Image& image) {
    if (package.transfers[section.transfers.front()].collective)
        return add_collectives(engines.front(), package, section, image);
    std::vector<std::vector<Segments>> segments;  // by transfer and iteration
    const std::uint64_t first = engines.front().m2s.size();
    std::uint64_t stride = 0;
    for (const std::uint32_t id : section.transfers) {
        const neff::Transfer& transfer = package.transfers[id];
        auto& iterations = segments.emplace_back();
        for (std::uint32_t i = 0; i < section.iterations; ++i)
            iterations.push_back(expand(package, neff::at_iteration(transfer, i),
                                        {image.tensor_address, image.gpsimd_address}, image.core));
        const std::uint16_t count = count_of(transfer, iterations, engines.size());
        image.transfers[id] = {static_cast<std::uint32_t>(first + stride), count, 0, section.iterations};
        stride += count;
    }
    const std::string& queue = package.queues[package.transfers[section.transfers.front()].queue].name;
    const std::uint64_t all = first + stride * section.iterations;
    if (all > dma::MaxRingSize) {
        throw Error(fmt::format("queue '{}' needs {} descriptors an engine, a ring has at most {}", queue,
                                all, dma::MaxRingSize));
    }
    for (const std::uint32_t id : section.transfers)
        image.transfers[id].stride = static_cast<std::uint32_t>(stride);
    for (std::uint32_t i = 0; i < section.iterations; ++i) {
        for (std::size_t t = 0; t < section.transfers.size(); ++t) {
            const std::uint32_t id = section.transfers[t];
            add_transfer(engines, package.transfers[id], segments[t][i], image.transfers[id].count, image);
        }
    }
}

void plan_rings(const neff::Package& package, Blocks& hbm, Image& image) {
    image.transfers.resize(package.transfers.size());
    image.rings.resize(package.queues.size(),
                       std::vector<Ring>(static_cast<std::size_t>(package.target.dma_engines)));
    point_rings(package, image, image.tensor_address);
    for (std::size_t queue = 0; queue < image.rings.size(); ++queue) {
        const std::string what = fmt::format("the ring of queue '{}'", package.queues[queue].name);
        for (Ring& ring : image.rings[queue]) {
            const auto cycle = static_cast<std::uint32_t>(ring.m2s.size());
            ring.size = cycle == 0 ? MinRingSize : (MinRingSize + cycle - 1) / cycle * cycle;
            ring.m2s_base =
                hbm.allocate(std::uint64_t{ring.size} * dma::DescriptorBytes, dma::RingAlign, what);
            ring.s2m_base =
                hbm.allocate(std::uint64_t{ring.size} * dma::DescriptorBytes, dma::RingAlign, what);
        }
    }
}

// The largest first, each to the stack with least in it, so that the stacks share the bytes.
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

// What is no set is left to the core to refuse.
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

// act_table_load names a set in a package and its tables in memory.
isa::Instruction rewrite_table_load(const Image& image, isa::Instruction instruction) {
    const auto tables = image.tables.find(table_set(instruction));
    if (tables == image.tables.end()) return instruction;
    return instruction.set(isa::field::TableAddress, tables->second.address)
        .set(isa::field::TableBeats, tables->second.bytes.size() / activation::BeatBytes);
}

// dma_trigger names a transfer in a package and a doorbell in memory.
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
    image.begins = std::move(begins);
    image.tensor_address = place_tensors(package, placed, hbm);
    image.one_address = hbm.allocate(DummySlot, DummySlot, "scratch memory");
    image.scratch = hbm.allocate(DummySlot * config.dma.engines, DummySlot, "scratch memory");
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
    const std::vector<neff::RingOrder> orders = neff::ring_orders(package);
    for (std::size_t queue = 0; queue < image.rings.size(); ++queue) {
        std::vector<Ring>& engines = image.rings[queue];
        for (Ring& ring : engines) {
            ring.m2s.clear();
            ring.s2m.clear();
        }
        for (const neff::RingOrder::Section& section : orders[queue].sections())
            add_section(engines, package, section, image);
    }
}

}  // namespace trnsim::runtime
