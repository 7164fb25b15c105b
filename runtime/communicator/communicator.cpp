#include "runtime/communicator/communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "arch/dma/registers.hpp"
#include "runtime/communicator/rings.hpp"

namespace trnsim::communicator {
namespace {

using collectives::Buffer;

constexpr std::uint64_t ScratchAlignment = 4096;
constexpr std::size_t BufferIndex[] = {static_cast<std::size_t>(Buffer::Input),
                                       static_cast<std::size_t>(Buffer::Output),
                                       static_cast<std::size_t>(Buffer::Scratch)};

}  // namespace

std::uint64_t region_bytes(const config::Hbm& hbm) {
    return hbm.stacks > 1 ? hbm.capacity : hbm.capacity / addresses::CoresPerChip;
}

Communicator::Communicator(tlm::LinkedServer& server, std::vector<CoreId> ranks)
    : server_(server), ranks_(std::move(ranks)) {
    const config::Server& description = server_.description();
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
        const CoreId core = ranks_[rank];
        if (core.chip >= description.chips() || core.core >= description.slots[core.chip].size())
            throw Error(fmt::format("rank {}: {}, expected a core of {}", rank, addresses::name_of(core),
                                    description.name));
        if (std::find(ranks_.begin(), ranks_.begin() + static_cast<std::ptrdiff_t>(rank), core) !=
            ranks_.begin() + static_cast<std::ptrdiff_t>(rank))
            throw Error(fmt::format("rank {}: {} has a rank already, expected another", rank,
                                    addresses::name_of(core)));
    }
}

Region Communicator::region(std::uint32_t rank) const {
    const config::Hbm& hbm = server_.description().chip.hbm;
    const std::uint64_t bytes = region_bytes(hbm);
    const std::uint64_t stride = hbm.stacks > 1 ? addresses::HbmStackStride : bytes;
    return {addresses::HbmBase + ranks_.at(rank).core * stride, bytes};
}

void Communicator::expect_room(std::uint32_t rank, const char* what, std::uint64_t address,
                               std::uint64_t bytes) const {
    const Region all = region(rank);
    if (address < all.base || bytes > free_end_[rank] - all.base || address > free_end_[rank] - bytes)
        throw Error(fmt::format("rank {}: {} of {} bytes at 0x{:x}, expected it within 0x{:x} to 0x{:x}",
                                rank, what, bytes, address, all.base, free_end_[rank]));
}

std::uint64_t Communicator::take(std::uint32_t rank, std::uint64_t bytes, std::uint64_t alignment) {
    const std::uint64_t room = free_end_[rank] - region(rank).base;
    if (bytes > room)
        throw Error(
            fmt::format("rank {}: {} bytes for scratch and rings, expected at most {}", rank, bytes, room));
    free_end_[rank] = (free_end_[rank] - bytes) / alignment * alignment;
    return free_end_[rank];
}

// Returns the places of the buffers; the communicator uses the end of each region for itself.
loader::BufferAddresses Communicator::place(const Buffers& buffers, bool in_place) {
    loader::BufferAddresses placement(ranks());
    free_end_.clear();
    lowering_.one.assign(ranks(), 0);
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
        free_end_.push_back(region(rank).end());
        const auto bytes = [&](Buffer buffer) {
            return schedule_.buffer_bytes[static_cast<std::size_t>(buffer)][rank];
        };
        constexpr std::uint8_t One[] = {1, 0, 0, 0};
        lowering_.one[rank] = take(rank, sizeof(One), dma::RingAlign);
        write(rank, lowering_.one[rank], One);
        auto& at = placement[rank];
        at[BufferIndex[2]] = take(rank, bytes(Buffer::Scratch), ScratchAlignment);
        if (!in_place && bytes(Buffer::Input) != 0) at[BufferIndex[0]] = buffers.input.at(rank);
        if (bytes(Buffer::Output) != 0) at[BufferIndex[1]] = buffers.output.at(rank);
    }
    return placement;
}

void Communicator::prepare(const collectives::Request& request, const Buffers& buffers,
                           const Options& options) {
    expect_sound();
    if (request.ranks != ranks())
        throw Error(fmt::format("request of {} ranks, expected {}", request.ranks, ranks()));
    const collectives::Plan plan = loader::fit(request, server_.description(), ranks_,
                                               {.algorithm = options.algorithm, .inner = options.inner});
    algorithm_ = plan.algorithm;
    schedule_ = collectives::make_schedule(request, plan);
    const config::Dma& dma = server_.description().chip.dma;
    lowering_.ranks = ranks_;
    lowering_.engines = static_cast<unsigned>(dma.engines);
    lowering_.rings = static_cast<unsigned>(dma.rings);
    const loader::BufferAddresses placement = place(buffers, request.in_place);
    loader::Lowerer lowerer(lowering_);
    lowerer.add(schedule_, placement);
    lowered_ = std::move(lowerer).finish();
    write_rings();
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
        for (const std::size_t buffer : {BufferIndex[0], BufferIndex[1]}) {
            const std::uint64_t bytes = schedule_.buffer_bytes[buffer][rank];
            if (bytes != 0)
                expect_room(rank, buffer == 0 ? "input" : "output", placement[rank][buffer], bytes);
        }
    }
    seed_ = request.stochastic ? std::optional(options.rounding_seed) : std::nullopt;
    set_up();
}

void Communicator::write_rings() {
    for (auto& [id, ring] : lowered_.rings) {
        loader::place(
            ring, [this, rank = id.rank](std::uint64_t bytes) { return take(rank, bytes, dma::RingAlign); });
        write_descriptors(server_, ranks_[id.rank], ring);
    }
}

// Sets up the registers of the DMA engines.
void Communicator::set_up() {
    for (const auto& [id, ring] : lowered_.rings) set_registers(server_, ranks_[id.rank], id, ring);
    if (seed_) set_rounding(*seed_);
}

// Resets the server after a collective that has not ended. False: no other collective can follow it.
bool Communicator::starts_afresh() {
    if (!server_.whole()) return false;
    try {
        server_.reset();
    } catch (const tlm::SimulationError&) {
        return false;
    }
    set_up();
    return true;
}

void Communicator::expect_sound() const {
    if (broken_)
        throw Failure(Status::ExecUnitUnrecoverable,
                      "the simulation of this server broke off, expected a new process");
}

void Communicator::set_rounding(std::uint32_t seed) {
    for (const CoreId core : ranks_) {
        for (unsigned engine = 0; engine < lowering_.engines; ++engine)
            set_rounding_seed(server_, core, engine, seed);
    }
}

// Returns the sum over all chips of the server.
std::uint64_t Communicator::hbm_uncorrected() {
    std::uint64_t words = 0;
    for (unsigned chip = 0; chip < server_.description().chips(); ++chip) {
        if (server_.here(chip)) words += server_.server().chip(chip).hbm_uncorrected();
    }
    return server_.sum(words);
}

// A DMA engine stops for a wrong word or for a lost request between chips; a collective core that waits for
// ever waits for such an engine.
Status Communicator::status_of(tlm::Outcome outcome, std::uint64_t hbm_uncorrected_before) {
    if (hbm_uncorrected() != hbm_uncorrected_before) return Status::ExecHbmUncorrectable;
    const bool lost = server_.sum(server_.network().reports().size()) != 0;
    return outcome == tlm::Outcome::DmaError && !lost ? Status::ExecDmaAbort : Status::ExecCollectives;
}

Time Communicator::run() {
    expect_sound();
    const Time begin = tlm::now();
    const auto cores = [&](const loader::CollectiveCoreId& id) -> tlm::collectives::CollectiveCores& {
        return server_.server().chip(id.chip).collective_cores();
    };
    for (const auto& [id, program] : lowered_.programs) {
        if (server_.here(id.chip)) cores(id).load(id.core, program);
    }
    for (const auto& [id, program] : lowered_.programs) {
        if (server_.here(id.chip)) cores(id).start(id.core);
    }
    const std::uint64_t uncorrected = hbm_uncorrected();
    broken_ = true;  // in case run() throws
    const tlm::RunResult result = server_.run();
    broken_ = false;
    if (result.outcome != tlm::Outcome::Done) {
        const Failure failure(status_of(result.outcome, uncorrected), result.message);
        broken_ = !starts_afresh();
        throw failure;
    }
    Time end = begin;
    for (const auto& [id, program] : lowered_.programs) {
        if (server_.here(id.chip)) end = std::max(end, cores(id).ended(id.core));
    }
    return server_.largest(end) - begin;
}

void Communicator::write(std::uint32_t rank, std::uint64_t address, std::span<const std::uint8_t> data) {
    if (here(rank)) server_.server().write(ranks_.at(rank).chip, address, data);
}

std::vector<std::uint8_t> Communicator::read(std::uint32_t rank, std::uint64_t address, std::uint64_t bytes) {
    if (!here(rank)) throw Error(fmt::format("rank {}: read of its memory, which another process has", rank));
    std::vector<std::uint8_t> data(bytes);
    server_.server().read(ranks_.at(rank).chip, address, data);
    return data;
}

}  // namespace trnsim::communicator
