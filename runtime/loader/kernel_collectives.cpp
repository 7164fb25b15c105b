#include "runtime/loader/kernel_collectives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "compiler/collectives/error.hpp"
#include "compiler/neff/ring_order.hpp"
#include "isa/core_window.hpp"
#include "runtime/loader/error.hpp"
#include "runtime/loader/fit.hpp"

namespace trnsim::loader {
namespace {

using collectives::Buffer;

constexpr std::uint64_t ScratchAlign = 4096;

// Returns the collectives in the order of their triggers.
std::vector<neff::Firing> order_of(const neff::Package& package) {
    std::vector<neff::Firing> order;
    for (const neff::RingOrder& queue : neff::ring_orders(package)) {
        if (queue.length() == 0 || !package.transfers[queue.at(0).transfer].collective) continue;
        for (std::uint64_t place = 0; place < queue.length(); ++place) order.push_back(queue.at(place));
    }
    return order;
}

std::uint64_t address_of(const Image& image, const neff::Pattern& first, std::uint32_t iteration) {
    return image.tensor_address[first.tensor] + neff::at_iteration(first, iteration).offset;
}

// Returns the group of each rank; a rank in no group is alone in its own.
std::vector<std::vector<std::uint32_t>> groups_of(const collectives::Request& request) {
    std::vector<std::vector<std::uint32_t>> groups;
    for (std::uint32_t rank = 0; rank < request.ranks; ++rank) groups.push_back({rank});
    for (const auto& group : collectives::checked_groups(request)) {
        for (const std::uint32_t rank : group) groups[rank] = group;
    }
    return groups;
}

// Returns "kernel.cpp:31: collective 'all-reduce sums[64]'", with the iteration if it is in a loop.
std::string name_of(const neff::Package& package, const neff::Firing& firing) {
    const std::string line = neff::source_line_of_transfer(package, firing.transfer);
    const neff::Transfer& transfer = package.transfers[firing.transfer];
    return fmt::format("{}collective '{}'{}", line.empty() ? "" : line + ": ", transfer.name,
                       transfer.loop ? fmt::format(", iteration {}", firing.iteration) : "");
}

// Returns the write that adds all shares of a transfer to its semaphore.
RegisterWrite completion_of(const neff::Package& package, const neff::Transfer& transfer, unsigned core) {
    return {addresses::core_window(core) + isa::window::SemInc +
                std::uint64_t{isa::SemaphoreBytes} * transfer.semaphore,
            static_cast<std::uint32_t>(package.target.dma_engines)};
}

}  // namespace

KernelCollectives::KernelCollectives(const config::Server& server, const std::vector<CoreId>& ranks,
                                     std::span<const std::shared_ptr<const neff::Package>> packages)
    : server_(server), cores_(ranks), packages_(packages.begin(), packages.end()) {
    for (const auto& package : packages_) order_.push_back(order_of(*package));
    for (std::uint32_t rank = 0; rank < this->ranks(); ++rank) check(rank);
    find_calls();
}

void KernelCollectives::check(std::uint32_t rank) const {
    if (order_[rank].size() != count())
        throw Error(fmt::format("rank {}: {} collectives, expected {} as rank 0 has", rank,
                                order_[rank].size(), count()));
    for (std::size_t i = 0; i < count(); ++i) {
        const neff::Transfer &own = transfer(rank, i), &first = transfer(0, i);
        if (own.collective->request.ranks != ranks())
            throw Error(fmt::format("rank {}: collective {}, '{}', is one of {} ranks, expected {}", rank, i,
                                    own.name, own.collective->request.ranks, ranks()));
        if (own.collective != first.collective)
            throw Error(
                fmt::format("rank {}: collective {}, '{}' of {}, is not the one that rank 0 has, '{}' of {}",
                            rank, i, own.name, isa::name_of(own.collective->request.dtype), first.name,
                            isa::name_of(first.collective->request.dtype)));
    }
    const std::uint64_t rings = server_.chip.dma.rings;
    if (count() != 0 && packages_[rank]->queues.size() + Channels > rings)
        throw Error(fmt::format("rank {}: {} queues beside collectives, which take {} of {} rings", rank,
                                packages_[rank]->queues.size(), Channels, rings));
}

// Kernels need not have the same loops: collectives that are the same transfers on all ranks are one call
// here.
void KernelCollectives::find_calls() {
    std::map<std::vector<std::uint32_t>, std::uint32_t> numbers;
    for (std::size_t i = 0; i < count(); ++i) {
        std::vector<std::uint32_t> transfers;
        for (const auto& order : order_) transfers.push_back(order[i].transfer);
        const auto [found, added] = numbers.try_emplace(transfers, calls_.size());
        if (added) calls_.push_back({transfers, groups_of(transfer(0, i).collective->request)});
        ++calls_[found->second].times;
        call_of_.push_back(found->second);
    }
}

Begins KernelCollectives::begins(std::uint32_t rank) const {
    Begins begins(packages_[rank]->transfers.size());
    for (std::uint32_t i = 0; i < count(); ++i) {
        std::vector<std::uint64_t>& addresses = begins[order_[rank][i].transfer].emplace_back();
        for (const std::uint32_t other : calls_[call_of_[i]].groups[rank])
            addresses.push_back(begin_address(cores_[rank], cores_[other], i));
    }
    return begins;
}

struct KernelCollectives::Prepared {
    collectives::Schedule schedule;
    std::vector<std::uint64_t> scratch;  // by rank
    std::uint32_t left = 0;              // remaining iterations
};

KernelCollectives::Prepared KernelCollectives::prepare(Call& call, std::span<Blocks* const> blocks) {
    const neff::Collective& one = *transfer(call).collective;
    const collectives::Plan plan =
        fit(one.request, server_, cores_, {.algorithm = one.algorithm, .inner = one.inner});
    call.algorithm = plan.algorithm;
    Prepared prepared{collectives::make_schedule(one.request, plan), {}, call.times};
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
        const std::uint64_t bytes =
            prepared.schedule.buffer_bytes[static_cast<std::size_t>(Buffer::Scratch)][rank];
        prepared.scratch.push_back(
            bytes == 0 ? 0 : blocks[rank]->allocate(bytes, ScratchAlign, "scratch memory of a collective"));
    }
    return prepared;
}

void KernelCollectives::refuse(std::uint32_t number, const std::string& why, Status status) const {
    const std::vector<neff::Firing>& order = order_.front();
    const std::size_t last = std::min<std::size_t>(number, order.size() - 1);
    throw Error(fmt::format("{}: {}", name_of(*packages_.front(), order[last]), why), status);
}

void KernelCollectives::place(std::span<const Image* const> images, std::span<Blocks* const> blocks) {
    if (count() == 0) return;
    const config::Dma& dma = server_.chip.dma;
    Lowering lowering{cores_, static_cast<unsigned>(dma.engines), static_cast<unsigned>(dma.rings), {}};
    for (const Image* image : images) lowering.one.push_back(image->one_address);
    std::uint32_t number = 0;
    try {
        Lowerer lowerer(lowering, count());
        std::map<std::uint32_t, Prepared> prepared;  // index: call
        for (; number < count(); ++number) {
            const std::uint32_t call = call_of_[number];
            auto one = prepared.find(call);
            if (one == prepared.end()) one = prepared.emplace(call, prepare(calls_[call], blocks)).first;
            BufferAddresses buffers;
            Begin begin{number, {}, {}};
            for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
                const neff::Transfer& own = transfer(rank, number);
                const std::uint32_t iteration = order_[rank][number].iteration;
                buffers.push_back({address_of(*images[rank], own.from, iteration),
                                   address_of(*images[rank], own.to, iteration), one->second.scratch[rank]});
                begin.members.push_back(static_cast<std::uint32_t>(calls_[call].groups[rank].size()));
                begin.at_end.push_back(completion_of(*packages_[rank], own, cores_[rank].core));
            }
            lowerer.add(one->second.schedule, buffers, begin);
            if (--one->second.left == 0) prepared.erase(one);
        }
        lowered_ = std::move(lowerer).finish();
        for (auto& [id, ring] : lowered_.rings) {
            loader::place(ring, [&, rank = id.rank](std::uint64_t bytes) {
                return blocks[rank]->allocate(bytes, dma::RingAlign, "a ring of collectives");
            });
        }
    } catch (const collectives::Error& error) {
        refuse(number, error.what(), Status::Invalid);
    } catch (const Error& error) {
        refuse(number, error.what(), error.status);
    }
}

std::map<CollectiveCoreId, collective_cores::Program> KernelCollectives::programs(
    const Writes& writes) const {
    auto programs = lowered_.programs;
    for (const auto& [chip, registers] : writes) programs[{chip, 0}].channels.push_back({{{}, registers}});
    return programs;
}

std::vector<std::uint8_t> KernelCollectives::bytes() const {
    std::vector<std::uint8_t> bytes;
    const auto append = [&bytes](std::uint64_t value) {
        for (unsigned i = 0; i < sizeof value; ++i)
            bytes.push_back(static_cast<std::uint8_t>(value >> 8 * i));
    };
    for (const auto& [id, ring] : lowered_.rings) {
        for (const std::uint64_t value :
             {std::uint64_t{id.rank}, std::uint64_t{id.engine}, std::uint64_t{id.ring},
              ring.m2s_place.address, ring.s2m_place.address})
            append(value);
        for (const auto* descriptors : {&ring.m2s, &ring.s2m}) {
            append(descriptors->size());
            for (const dma::Descriptor& descriptor : *descriptors) {
                const auto encoded = dma::encode(descriptor);
                bytes.insert(bytes.end(), encoded.begin(), encoded.end());
            }
        }
    }
    for (const auto& [id, program] : lowered_.programs) {
        append(id.chip);
        append(id.core);
        append(program.channels.size());
        for (const collective_cores::Channel& channel : program.channels) {
            append(channel.size());
            for (const collective_cores::Entry& entry : channel) {
                append(entry.waits.size());
                for (const collective_cores::Wait& wait : entry.waits) {
                    append(wait.flag);
                    append(wait.value);
                }
                append(entry.writes.size());
                for (const RegisterWrite& write : entry.writes) {
                    append(write.address);
                    append(write.value);
                }
            }
        }
    }
    return bytes;
}

}  // namespace trnsim::loader
