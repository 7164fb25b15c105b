#include "runtime/loader/kernel_rings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/collective_cores/registers.hpp"
#include "compiler/neff/check.hpp"
#include "compiler/neff/ring_order.hpp"
#include "isa/core_window.hpp"
#include "runtime/loader/descriptor_writer.hpp"
#include "runtime/loader/error.hpp"
#include "runtime/loader/segments.hpp"
#include "runtime/loader/transfer_packets.hpp"

namespace trnsim::loader {
namespace {

constexpr std::uint32_t MinRingSize = 32;
static_assert(neff::MaxRingDescriptors == dma::MaxRingSize);
constexpr std::uint32_t DummyBytes = 4;

using Shares = std::vector<Segments>;  // by DMA engine

// Returns the most descriptors that an engine needs for an iteration.
std::size_t most_descriptors(const neff::Transfer& transfer, const std::vector<Shares>& iterations) {
    std::size_t most = 0;
    for (const Shares& shares : iterations) {
        for (const Segments& share : shares) most = std::max(most, descriptors_of(transfer, share));
    }
    return most;
}

bool can_count(std::size_t descriptors) {
    return descriptors + 1 <= neff::MaxDescriptors;
}

// Returns the shares in each iteration. If a trigger cannot count the descriptors of the engine of one
// partition, all engines have as many.
std::vector<Shares> shares_of(const neff::Package& package, const neff::Transfer& transfer,
                              const std::vector<Segments>& iterations, const Image& image) {
    std::vector<Shares> shares;
    if (image.split_by_partitions) {
        for (const Segments& segments : iterations) {
            std::optional<Shares> one = partition_shares(package, transfer, segments, image.core);
            if (one) shares.push_back(std::move(*one));
        }
        if (shares.size() == iterations.size() && can_count(most_descriptors(transfer, shares)))
            return shares;
        shares.clear();
    }
    const auto engines = static_cast<std::size_t>(package.target.dma_engines);
    for (const Segments& segments : iterations) shares.push_back(even_shares(transfer, segments, engines));
    return shares;
}

// Returns the descriptors that every engine needs for an iteration.
std::uint16_t count_of(const neff::Transfer& transfer, const std::vector<Shares>& iterations) {
    const std::size_t most = most_descriptors(transfer, iterations);
    if (!can_count(most)) {
        throw Error(
            fmt::format("transfer '{}' has {} descriptors for one of {} DMA engines, expected at most {}",
                        transfer.name, most, iterations.front().size(), neff::MaxDescriptors - 1));
    }
    return static_cast<std::uint16_t>(most + 1);
}

DescriptorWriter writer_of(Ring& ring, const neff::Transfer& transfer) {
    return {ring, DescriptorWriter::Counts::Equal, static_cast<std::uint8_t>(transfer.queue % 4)};
}

// Adds `count` descriptors of each direction to every engine's ring.
void add_transfer(std::vector<Ring>& engines, const neff::Transfer& transfer, const Shares& shares,
                  std::size_t count, const Image& image) {
    const std::uint64_t semaphore = addresses::core_window(image.core) + isa::window::SemInc +
                                    std::uint64_t{isa::SemaphoreBytes} * transfer.semaphore;
    for (std::size_t e = 0; e < engines.size(); ++e) {
        DescriptorWriter writer = writer_of(engines[e], transfer);
        const std::size_t last = engines[e].m2s.size() + count - 1;
        add_packets(writer, shares[e], transfer);
        const std::uint64_t slot = image.scratch + e * ScratchSlot;
        while (engines[e].m2s.size() < last) writer.copy(slot, slot + DummyBytes, DummyBytes);
        writer.copy(image.one_address, semaphore, isa::SemaphoreBytes, true);
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
            DescriptorWriter writer = writer_of(ring, package.transfers[id]);
            for (const std::uint64_t begin : image.begins[id][i])
                writer.copy(image.one_address, begin, collective_cores::FlagBytes);
        }
    }
}

// Adds a loop, or transfers outside of loops, to the rings of their queue.
void add_section(std::vector<Ring>& engines, const neff::Package& package,
                 const neff::RingOrder::Section& section, Image& image) {
    if (package.transfers[section.transfers.front()].collective)
        return add_collectives(engines.front(), package, section, image);
    std::vector<std::vector<Shares>> shares;  // by transfer and iteration
    const std::uint64_t first = engines.front().m2s.size();
    std::uint64_t stride = 0;
    for (const std::uint32_t id : section.transfers) {
        const neff::Transfer& transfer = package.transfers[id];
        std::vector<Segments> iterations;
        for (std::uint32_t i = 0; i < section.iterations; ++i)
            iterations.push_back(expand(package, neff::at_iteration(transfer, i),
                                        {image.tensor_address, image.gpsimd_address}, image.core));
        shares.push_back(shares_of(package, transfer, iterations, image));
        const std::uint16_t count = count_of(transfer, shares.back());
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
            add_transfer(engines, package.transfers[id], shares[t][i], image.transfers[id].count, image);
        }
    }
}

}  // namespace

void write_rings(const neff::Package& package, Image& image) {
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

void plan_rings(const neff::Package& package, Blocks& hbm, Image& image) {
    image.transfers.resize(package.transfers.size());
    image.rings.resize(package.queues.size(),
                       std::vector<Ring>(static_cast<std::size_t>(package.target.dma_engines)));
    write_rings(package, image);
    for (std::size_t queue = 0; queue < image.rings.size(); ++queue) {
        const std::string what = fmt::format("the ring of queue '{}'", package.queues[queue].name);
        const auto allocate = [&](std::uint64_t bytes) { return hbm.allocate(bytes, dma::RingAlign, what); };
        for (Ring& ring : image.rings[queue]) place(ring, allocate, MinRingSize);
    }
}

}  // namespace trnsim::loader
