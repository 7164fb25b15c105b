#include "runtime/loader/lower_schedules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "arch/addresses/pooled.hpp"
#include "arch/collective_cores/registers.hpp"
#include "isa/element_type.hpp"
#include "runtime/loader/error.hpp"
#include "runtime/loader/schedule_packets.hpp"

namespace trnsim::loader {
namespace {

using collective_cores::Entry;
using collectives::Schedule;
using collectives::Step;
using collectives::StepId;

// Bytes that a share has at least, except for the last one. It begins at a multiple of them, so that few
// accesses are cut at the borders of bursts.
constexpr std::uint64_t ShareBytes = 4096;

constexpr unsigned Cores = collective_cores::CoresPerSlot;

// Channels of a rank's first collective core: entries that tell the kernel about ends, and the other two
// cores about beginnings.
constexpr unsigned EndChannel = Channels, BeginChannel = Channels + 1;

std::uint64_t on_chip(unsigned from, unsigned chip, std::uint64_t address) {
    return from == chip ? address : addresses::pooled_address(chip, address);
}

CollectiveCoreId collective_core(CoreId slot, unsigned channel) {
    return {slot.chip, slot.core * Cores + channel % Cores};
}

}  // namespace

std::uint64_t begin_address(CoreId from, CoreId to, std::uint32_t number) {
    const CollectiveCoreId first = collective_core(to, 0);
    return on_chip(from.chip, first.chip, collective_cores::flag_address(first.core, number));
}

class Lowerer::Writer {
  public:
    Writer(Lowerer& all, const Schedule& schedule, const BufferAddresses& buffers,
           const std::optional<Begin>& begin)
        : all_(all),
          lowering_(all.lowering_),
          schedule_(schedule),
          buffers_(buffers),
          begin_(begin),
          channel_(schedule.steps.size()),
          division_(schedule.steps.size()),
          waiting_(schedule.steps.size()) {}

    void write() {
        deal();
        for (StepId id = 0; id < schedule_.steps.size(); ++id) {
            for (const StepId other : schedule_.steps[id].waits) flag(other, core_of(id));
            division_[id] = divide(schedule_.steps[id].transfer, engines_[schedule_.steps[id].rank]);
        }
        if (begin_) write_ends();
        for (std::uint32_t rank = 0; rank < schedule_.lists.size(); ++rank) write_list(rank);
    }

  private:
    // The division of a step into shares.
    struct Division {
        std::uint64_t elements = 0;  // elements of a share
        unsigned shares = 0;
    };

    static Division divide(const collectives::Transfer& transfer, unsigned engines) {
        const std::uint64_t size = isa::element_size(transfer.destinations[0].dtype);
        const std::uint64_t granule = ShareBytes / size;
        const std::uint64_t granules = (transfer.elements + granule - 1) / granule;
        const std::uint64_t each = (granules + engines - 1) / engines;
        return {each * granule, static_cast<unsigned>((granules + each - 1) / each)};
    }

    using FlagId = std::uint32_t;

    // Assigns channels. A step goes to the channel of a step that it waits for; steps of a rank that wait for
    // nothing take turns. Steps wait for steps with lower numbers, on any rank, whose channels are known by
    // then.
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
        return collective_core(lowering_.ranks[schedule_.steps[id].rank], channel_[id]);
    }

    // Returns the flag of a collective core that counts the shares of a step.
    FlagId flag(StepId id, const CollectiveCoreId& waiter) {
        const auto [found, is_new] = waiting_[id].try_emplace(waiter, 0);
        if (is_new) found->second = new_flag(waiter);
        return found->second;
    }

    FlagId new_flag(const CollectiveCoreId& core) {
        const FlagId next = all_.begins_ + all_.flags_[core]++;
        if (next >= collective_cores::FlagCount)
            throw Error(fmt::format("chip {} collective core {}: more than {} steps to wait for", core.chip,
                                    core.core, collective_cores::FlagCount));
        return next;
    }

    collective_cores::Channel& channel(std::uint32_t rank, unsigned number) {
        const unsigned core = number < Channels ? number : 0;
        return all_.channels_[{collective_core(lowering_.ranks[rank], core), number}];
    }

    collective_cores::Wait of(StepId id, const CollectiveCoreId& waiter) {
        return {flag(id, waiter), division_[id].shares};
    }

    collective_cores::Wait of_begin(std::uint32_t rank) const {
        return {begin_->number, begin_->members[rank]};
    }

    void write_list(std::uint32_t rank) {
        std::set<unsigned> told;  // collective cores of the slot that wait for the beginning, not the first
        std::array<Entry, Channels> ends;
        for (const StepId id : schedule_.lists[rank]) {
            Entry entry;
            for (const StepId other : schedule_.steps[id].waits)
                entry.waits.push_back(of(other, core_of(id)));
            if (begin_ && entry.waits.empty()) {
                entry.waits.push_back(of_begin(rank));
                if (channel_[id] % Cores != 0) told.insert(core_of(id).core);
            }
            // No other step waits for its end.
            if (waiting_[id].empty()) ends[channel_[id]].waits.push_back(of(id, core_of(id)));
            write_step(id, entry);
            channel(rank, channel_[id]).push_back(std::move(entry));
        }
        for (unsigned c = 0; c < Channels; ++c) {
            if (!ends[c].waits.empty()) channel(rank, c).push_back(std::move(ends[c]));
        }
        if (told.empty()) return;
        Entry entry{{of_begin(rank)}, {}};
        for (const unsigned core : told)
            entry.writes.push_back(
                {collective_cores::flag_address(core, begin_->number), begin_->members[rank]});
        channel(rank, BeginChannel).push_back(std::move(entry));
    }

    // Writes the ends of the ranks' parts: all steps of any rank that read its input or write its output are
    // complete, and so are those that they have waited for.
    void write_ends() {
        std::vector<std::vector<StepId>> touching(schedule_.lists.size());
        for (StepId id = 0; id < schedule_.steps.size(); ++id) {
            const collectives::Transfer& transfer = schedule_.steps[id].transfer;
            for (const auto* operands : {&transfer.sources, &transfer.destinations}) {
                for (const collectives::ElementRun& operand : *operands) {
                    std::vector<StepId>& steps = touching[operand.place.rank];
                    if (operand.place.buffer != collectives::Buffer::Scratch &&
                        (steps.empty() || steps.back() != id))
                        steps.push_back(id);
                }
            }
        }
        for (std::uint32_t rank = 0; rank < touching.size(); ++rank) {
            Entry entry{{of_begin(rank)}, {begin_->at_end[rank]}};
            std::set<StepId> last(touching[rank].begin(), touching[rank].end());
            for (const StepId id : touching[rank]) {
                for (const StepId before : schedule_.steps[id].waits) last.erase(before);
            }
            for (const StepId id : last)
                entry.waits.push_back(of(id, collective_core(lowering_.ranks[rank], 0)));
            channel(rank, EndChannel).push_back(std::move(entry));
        }
    }

    void write_step(StepId id, Entry& entry) {
        const Step& step = schedule_.steps[id];
        const CoreId core = lowering_.ranks[step.rank];
        const unsigned ring = lowering_.rings - Channels + channel_[id];
        const auto address_of = [&](const collectives::BufferAddress& place) {
            const std::uint64_t base = buffers_[place.rank][static_cast<std::size_t>(place.buffer)];
            return on_chip(core.chip, lowering_.ranks[place.rank].chip, base + place.offset);
        };
        for (unsigned s = 0; s < division_[id].shares; ++s) {
            const unsigned engine = next_engine(id);
            Ring& to = all_.rings_[{step.rank, engine, ring}];
            DescriptorWriter writer(to, DescriptorWriter::Counts::AsNeeded);
            const std::size_t m2s = to.m2s.size(), s2m = to.s2m.size();
            const std::uint64_t first = s * division_[id].elements;
            add_packets(writer, step.transfer,
                        {first, std::min(division_[id].elements, step.transfer.elements - first)},
                        address_of);
            bool barrier = true;
            for (const auto& [waiter, number] : waiting_[id]) {
                const std::uint64_t at = collective_cores::flag_address(waiter.core, number);
                writer.copy(lowering_.one[step.rank], on_chip(core.chip, waiter.chip, at),
                            collective_cores::FlagBytes, std::exchange(barrier, false));
            }
            entry.writes.push_back({dma::ring_address(engine, ring, dma::RingRegister::Doorbell, core.core),
                                    dma::doorbell(added(to.m2s.size() - m2s), added(to.s2m.size() - s2m))});
            if (to.m2s.size() > dma::MaxRingSize)
                throw Error(fmt::format("rank {}: a DMA ring of {} descriptors, expected at most {}",
                                        step.rank, to.m2s.size(), dma::MaxRingSize));
        }
    }

    // A short step blocks an engine only briefly, so it may have any engine of the rank.
    unsigned next_engine(StepId id) {
        const std::uint32_t rank = schedule_.steps[id].rank;
        const bool is_short = division_[id].shares == 1;
        const unsigned channel = is_short ? 0 : channel_[id];
        const unsigned engines = is_short ? lowering_.engines : engines_[rank];
        return (channel * engines + all_.turns_[{rank, channel, is_short}]++ % engines) % lowering_.engines;
    }

    static std::uint16_t added(std::size_t descriptors) {
        if (descriptors > 0xffff)
            throw Error(
                fmt::format("a step of {} descriptors an engine, expected at most 65535", descriptors));
        return static_cast<std::uint16_t>(descriptors);
    }

    Lowerer& all_;
    const Lowering& lowering_;
    const Schedule& schedule_;
    const BufferAddresses& buffers_;
    const std::optional<Begin>& begin_;
    std::vector<unsigned> channel_;                            // by step
    std::vector<Division> division_;                           // by step
    std::vector<std::map<CollectiveCoreId, FlagId>> waiting_;  // by step: collective cores that wait for it
    std::vector<unsigned> engines_;                            // engines of a channel, by rank
};

Lowerer::Lowerer(const Lowering& lowering, std::uint32_t begins) : lowering_(lowering), begins_(begins) {
    if (lowering.rings < Channels)
        throw Error(
            fmt::format("dma.rings is {}, expected at least {} for collectives", lowering.rings, Channels));
}

void Lowerer::add(const Schedule& schedule, const BufferAddresses& buffers,
                  const std::optional<Begin>& begin) {
    Writer(*this, schedule, buffers, begin).write();
}

Lowered Lowerer::finish() && {
    Lowered lowered;
    lowered.rings = std::move(rings_);
    for (auto& [id, channel] : channels_) lowered.programs[id.core].channels.push_back(std::move(channel));
    return lowered;
}

}  // namespace trnsim::loader
