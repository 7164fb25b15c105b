#include "lib/communicator/lower.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "isa/element_type.hpp"
#include "lib/base/addresses/pooled.hpp"
#include "lib/communicator/error.hpp"
#include "lib/communicator/packets.hpp"
#include "tlm/collectives/registers.hpp"

namespace trnsim::communicator {
namespace {

using collectives::Schedule;
using collectives::Step;
using collectives::StepId;
using tlm::collectives::Entry;

// A share is not smaller than this, but for the last; and begins on a multiple of it, so that few accesses
// are cut at the borders of bursts.
constexpr std::uint64_t ShareBytes = 4096;

// How a step is divided.
struct Division {
    std::uint64_t elements = 0;  // of a share
    unsigned shares = 0;
};

Division divide(const collectives::Transfer& transfer, unsigned engines) {
    const std::uint64_t size = isa::element_size(transfer.destinations[0].dtype);
    const std::uint64_t granule = ShareBytes / size;
    const std::uint64_t granules = (transfer.elements + granule - 1) / granule;
    const std::uint64_t each = (granules + engines - 1) / engines;
    return {each * granule, static_cast<unsigned>((granules + each - 1) / each)};
}

class Writer {
  public:
    Writer(const Schedule& schedule, const Lowering& lowering)
        : schedule_(schedule),
          lowering_(lowering),
          channel_(schedule.steps.size()),
          division_(schedule.steps.size()),
          waiting_(schedule.steps.size()) {}

    Lowered write() {
        deal();
        for (StepId id = 0; id < schedule_.steps.size(); ++id) {
            for (const StepId other : schedule_.steps[id].waits) flag(other, core_of(id));
            division_[id] = divide(schedule_.steps[id].transfer, engines_[schedule_.steps[id].rank]);
        }
        for (std::uint32_t rank = 0; rank < schedule_.lists.size(); ++rank) write_list(rank);
        return std::move(lowered_);
    }

  private:
    using FlagId = std::uint32_t;

    // A step follows one that it waits for into its channel; those of a rank that wait for nothing take turns.
    // Steps wait for steps with lower numbers, on whatever ranks, whose channels are known by then.
    void deal() {
        const std::size_t ranks = schedule_.lists.size();
        std::vector<unsigned> turn(ranks), used(ranks, 1);
        for (StepId id = 0; id < schedule_.steps.size(); ++id) {
            const Step& step = schedule_.steps[id];
            channel_[id] = step.waits.empty() ? turn[step.rank]++ % Channels : channel_[step.waits.back()];
            used[step.rank] = std::max(used[step.rank], channel_[id] + 1);
        }
        for (const unsigned channels : used) engines_.push_back(std::max(1U, lowering_.engines / channels));
    }

    CollectiveCoreId core_of(StepId id) const {
        const CoreId core = lowering_.ranks[schedule_.steps[id].rank];
        constexpr unsigned Cores = tlm::collectives::CoresPerSlot;
        return {core.chip, core.core * Cores + channel_[id] % Cores};
    }

    // The flag of a collective core that counts the shares of a step.
    FlagId flag(StepId id, const CollectiveCoreId& waiter) {
        const auto [found, is_new] = waiting_[id].try_emplace(waiter, 0);
        if (is_new) found->second = new_flag(waiter);
        return found->second;
    }

    FlagId new_flag(const CollectiveCoreId& core) {
        const FlagId next = flags_[core]++;
        if (next >= tlm::collectives::FlagCount)
            throw Error(fmt::format("chip {} collective core {}: more than {} steps to wait for", core.chip,
                                    core.core, tlm::collectives::FlagCount));
        return next;
    }

    void write_list(std::uint32_t rank) {
        std::array<tlm::collectives::Channel, Channels> channels;
        for (const StepId id : schedule_.lists[rank]) {
            Entry entry;
            for (const StepId other : schedule_.steps[id].waits)
                entry.waits.push_back({flag(other, core_of(id)), division_[other].shares});
            const bool last = waiting_[id].empty();
            if (last) flag(id, core_of(id));
            write_step(id, entry);
            tlm::collectives::Channel& channel = channels[channel_[id]];
            channel.push_back(std::move(entry));
            // Nobody else waits for its end.
            if (last)
                ends_.push_back({core_of(id), channel_[id], {flag(id, core_of(id)), division_[id].shares}});
        }
        for (unsigned c = 0; c < Channels; ++c) {
            tlm::collectives::Channel& channel = channels[c];
            if (channel.empty()) continue;
            Entry end;
            for (const End& one : ends_) {
                if (one.channel == c) end.waits.push_back(one.wait);
            }
            channel.push_back(std::move(end));
            constexpr unsigned Cores = tlm::collectives::CoresPerSlot;
            const CoreId core = lowering_.ranks[rank];
            lowered_.programs[{core.chip, core.core * Cores + c % Cores}].channels.push_back(
                std::move(channel));
        }
        ends_.clear();
    }

    void write_step(StepId id, Entry& entry) {
        const Step& step = schedule_.steps[id];
        const CoreId core = lowering_.ranks[step.rank];
        const unsigned ring = lowering_.rings - Channels + channel_[id];
        const auto address_of = [&](const collectives::Place& place) {
            const std::uint64_t base = lowering_.buffers[place.rank][static_cast<std::size_t>(place.buffer)];
            return on_chip(core.chip, lowering_.ranks[place.rank].chip, base + place.offset);
        };
        for (unsigned s = 0; s < division_[id].shares; ++s) {
            const unsigned engine = next_engine(id);
            Ring& to = lowered_.rings[{step.rank, engine, ring}];
            const std::size_t m2s = to.m2s.size(), s2m = to.s2m.size();
            const std::uint64_t first = s * division_[id].elements;
            append_packets(to, step.transfer,
                           {first, std::min(division_[id].elements, step.transfer.elements - first)},
                           address_of);
            bool barrier = true;
            for (const auto& [waiter, number] : waiting_[id]) {
                const std::uint64_t at = tlm::collectives::flag_address(waiter.core, number);
                append_flag(to, lowering_.one[step.rank], on_chip(core.chip, waiter.chip, at), barrier);
                barrier = false;
            }
            entry.writes.push_back(
                {tlm::dma::ring_address(engine, ring, tlm::dma::RingRegister::Doorbell, core.core),
                 tlm::dma::doorbell(added(to.m2s.size() - m2s), added(to.s2m.size() - s2m))});
            if (to.m2s.size() > tlm::dma::MaxRingSize)
                throw Error(fmt::format("rank {}: a DMA ring of {} descriptors, expected at most {}",
                                        step.rank, to.m2s.size(), tlm::dma::MaxRingSize));
        }
    }

    // A short step hinders nobody for long: it may have any engine of the rank.
    unsigned next_engine(StepId id) {
        const std::uint32_t rank = schedule_.steps[id].rank;
        const bool is_short = division_[id].shares == 1;
        const unsigned channel = is_short ? 0 : channel_[id];
        const unsigned engines = is_short ? lowering_.engines : engines_[rank];
        return (channel * engines + turns_[{rank, channel, is_short}]++ % engines) % lowering_.engines;
    }

    static std::uint16_t added(std::size_t descriptors) {
        if (descriptors > 0xffff)
            throw Error(
                fmt::format("a step of {} descriptors an engine, expected at most 65535", descriptors));
        return static_cast<std::uint16_t>(descriptors);
    }

    static std::uint64_t on_chip(unsigned from, unsigned chip, std::uint64_t address) {
        return from == chip ? address : addresses::pooled_address(chip, address);
    }

    struct End {
        CollectiveCoreId core;
        unsigned channel;
        tlm::collectives::Wait wait;
    };

    const Schedule& schedule_;
    const Lowering& lowering_;
    Lowered lowered_;
    std::vector<unsigned> channel_;                            // of each step
    std::vector<Division> division_;                           // of each step
    std::vector<std::map<CollectiveCoreId, FlagId>> waiting_;  // who waits for each step
    std::map<CollectiveCoreId, FlagId> flags_;                 // in use
    std::vector<unsigned> engines_;                            // of a channel, by rank
    // Of the engines of each rank's channel, and of all of them for short steps.
    std::map<std::tuple<std::uint32_t, unsigned, bool>, unsigned> turns_;
    std::vector<End> ends_;  // of the rank being written
};

}  // namespace

Lowered lower(const Schedule& schedule, const Lowering& lowering) {
    if (lowering.rings < Channels)
        throw Error(
            fmt::format("dma.rings is {}, expected at least {} for collectives", lowering.rings, Channels));
    return Writer(schedule, lowering).write();
}

}  // namespace trnsim::communicator
