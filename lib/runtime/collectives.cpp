#include "lib/runtime/collectives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "isa/core_window.hpp"
#include "lib/collectives/error.hpp"
#include "lib/communicator/plan.hpp"
#include "lib/neff/ring_order.hpp"
#include "lib/runtime/error.hpp"
#include "tlm/collectives/registers.hpp"

namespace trnsim::runtime {
namespace {

using addresses::CoreId;
using collectives::Buffer;

constexpr std::uint64_t ScratchAlign = 4096;
constexpr std::uint32_t SemaphoreBytes = 4;

// Transfers that are collectives, in the order of their triggers.
std::vector<std::uint32_t> order_of(const neff::Package& package) {
    std::vector<std::uint32_t> order;
    for (const neff::RingOrder& queue : neff::ring_orders(package)) {
        for (const neff::RingOrder::Section& section : queue.sections()) {
            std::ranges::copy_if(section.transfers, std::back_inserter(order), [&](std::uint32_t id) {
                return package.transfers[id].collective.has_value();
            });
        }
    }
    return order;
}

std::uint64_t address_of(const Image& image, const neff::Pattern& first) {
    return image.tensor_address[first.tensor] + first.offset;
}

// What adds all shares of a transfer to its semaphore.
tlm::collectives::RegisterWrite completion_of(const neff::Package& package, const neff::Transfer& transfer,
                                              unsigned core) {
    return {addresses::core_window(core) + isa::window::SemInc +
                std::uint64_t{SemaphoreBytes} * transfer.semaphore,
            static_cast<std::uint32_t>(package.target.dma_engines)};
}

}  // namespace

Collectives::Collectives(tlm::LinkedServer& server, const std::vector<CoreId>& ranks,
                         std::span<const std::shared_ptr<const neff::Package>> packages)
    : server_(server), cores_(ranks), packages_(packages.begin(), packages.end()) {
    for (const auto& package : packages_) order_.push_back(order_of(*package));
    for (std::uint32_t rank = 0; rank < this->ranks(); ++rank) check(rank);
}

void Collectives::check(std::uint32_t rank) const {
    if (order_[rank].size() != count())
        throw Error(fmt::format("rank {}: {} collectives, expected {} as rank 0 has", rank,
                                order_[rank].size(), count()));
    for (std::size_t i = 0; i < count(); ++i) {
        const neff::Transfer& own = packages_[rank]->transfers[order_[rank][i]];
        if (own.collective->request.ranks != ranks())
            throw Error(fmt::format("rank {}: collective {}, '{}', is one of {} ranks, expected {}", rank, i,
                                    own.name, own.collective->request.ranks, ranks()));
        if (own.collective != collective(i))
            throw Error(
                fmt::format("rank {}: collective {}, '{}' of {}, is not the one that rank 0 has, '{}' of {}",
                            rank, i, own.name, isa::name_of(own.collective->request.dtype), transfer(i).name,
                            isa::name_of(collective(i).request.dtype)));
    }
    const std::uint64_t rings = server_.description().chip.dma.rings;
    if (count() != 0 && packages_[rank]->queues.size() + communicator::Channels > rings)
        throw Error(fmt::format("rank {}: {} queues beside collectives, which take {} of {} rings", rank,
                                packages_[rank]->queues.size(), communicator::Channels, rings));
}

// The ranks of its group; itself alone if it is in none.
std::vector<std::uint32_t> Collectives::group_of(std::size_t number, std::uint32_t rank) const {
    for (const auto& group : collectives::checked_groups(collective(number).request)) {
        if (std::ranges::find(group, rank) != group.end()) return group;
    }
    return {rank};
}

Begins Collectives::begins(std::uint32_t rank) const {
    Begins begins(packages_[rank]->transfers.size());
    for (std::uint32_t i = 0; i < count(); ++i) {
        for (const std::uint32_t other : group_of(i, rank))
            begins[order_[rank][i]].push_back(communicator::begin_address(cores_[rank], cores_[other], i));
    }
    return begins;
}

void Collectives::place(std::span<const Image* const> images, std::span<Blocks* const> blocks) {
    const config::Dma& dma = server_.description().chip.dma;
    communicator::Lowering lowering{
        cores_, static_cast<unsigned>(dma.engines), static_cast<unsigned>(dma.rings), {}};
    for (const Image* image : images) lowering.one.push_back(image->one_address);
    try {
        communicator::Lowerer lowerer(lowering, static_cast<std::uint32_t>(count()));
        for (std::uint32_t i = 0; i < count(); ++i) {
            const neff::Collective& one = collective(i);
            const communicator::Fitted fitted = communicator::fit(
                one.request, server_.description(), cores_, {.algorithm = one.algorithm, .inner = one.inner});
            algorithms_.push_back(fitted.plan.algorithm);
            const collectives::Schedule schedule = collectives::make_schedule(fitted.request, fitted.plan);
            communicator::Placement placement;
            communicator::Begin begin{i, {}, {}};
            for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
                const neff::Transfer& transfer = packages_[rank]->transfers[order_[rank][i]];
                const std::uint64_t scratch =
                    schedule.buffer_bytes[static_cast<std::size_t>(Buffer::Scratch)][rank];
                placement.push_back(
                    {address_of(*images[rank], transfer.from), address_of(*images[rank], transfer.to),
                     scratch == 0
                         ? 0
                         : blocks[rank]->allocate(scratch, ScratchAlign, "scratch memory of a collective")});
                begin.members.push_back(static_cast<std::uint32_t>(group_of(i, rank).size()));
                begin.at_end.push_back(completion_of(*packages_[rank], transfer, cores_[rank].core));
            }
            lowerer.add(schedule, placement, begin);
        }
        lowered_ = std::move(lowerer).finish();
    } catch (const communicator::Error& error) {
        throw Error(error.what());
    } catch (const collectives::Error& error) {
        throw Error(error.what());
    }
    for (const auto& [id, ring] : lowered_.rings) {
        const communicator::RingMemory memory =
            communicator::allocate(ring, [&, rank = id.rank](std::uint64_t bytes) {
                return blocks[rank]->allocate(bytes, tlm::dma::RingAlign, "a ring of a collective");
            });
        memory_.emplace(id, memory);
    }
}

void Collectives::write() {
    for (const auto& [id, ring] : lowered_.rings) {
        if (here(id.rank)) communicator::write_descriptors(server_, cores_[id.rank], ring, memory_.at(id));
    }
}

void Collectives::start(std::uint32_t rounding_seed, const Writes& writes) {
    for (const auto& [id, ring] : lowered_.rings) {
        if (!here(id.rank)) continue;
        communicator::set_registers(server_, cores_[id.rank], id, ring, memory_.at(id));
        server_.server()
            .chip(cores_[id.rank].chip)
            .dma(cores_[id.rank].core)
            .engine(id.engine)
            .write(tlm::dma::EngineRegister::SrSeed, rounding_seed);
    }
    auto programs = lowered_.programs;
    for (const auto& [chip, registers] : writes) programs[{chip, 0}].channels.push_back({{{}, registers}});
    std::erase_if(programs, [this](const auto& program) { return !server_.here(program.first.chip); });
    const auto cores_of = [&](unsigned chip) -> tlm::collectives::CollectiveCores& {
        return server_.server().chip(chip).collective_cores();
    };
    for (const auto& [id, program] : programs) cores_of(id.chip).load(id.core, program);
    for (const auto& [id, program] : programs) cores_of(id.chip).start(id.core);
}

}  // namespace trnsim::runtime
