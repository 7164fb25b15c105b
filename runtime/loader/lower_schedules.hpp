// Lowers the steps of a schedule to descriptors in the rings of DMA engines and programs of collective cores
// that ring their doorbells.
//
// The steps of a rank are distributed over channels, and its DMA engines are divided among the channels that
// it uses: an engine does one transfer at a time, so transfers over different links must not share one. A
// collective core walks a channel in order; channels overtake each other as their waits allow. A step's
// elements are divided among the engines of its channel (a short one has any engine of the rank), and each
// share ends with packets that count up a flag of every collective core that waits for the step.
//
// Several schedules follow each other in the same channels and rings: each is executed once, in this order.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "arch/addresses/addresses.hpp"
#include "compiler/collectives/schedule.hpp"
#include "runtime/loader/ring.hpp"
#include "runtime/loader/writes.hpp"

namespace trnsim::loader {

using addresses::CoreId;

constexpr unsigned Channels = 8;  // channels of a rank, at most

struct Lowering {
    std::vector<CoreId> ranks;  // cores whose DMA engines and collective cores the ranks have
    unsigned engines = 0;       // DMA engines of a core
    unsigned rings = 0;         // rings of an engine: channels have the last ones
    // Address on the rank's chip of a word with the value 1.
    std::vector<std::uint64_t> one;
};

// Addresses on the rank's chip of its buffers, by rank.
using BufferAddresses = std::vector<std::array<std::uint64_t, collectives::BufferCount>>;

// A schedule that kernels start: `number` of them, counted from 0, with flags in the first collective cores
// of ranks. Each rank adds 1 to the flag of every member of its group (begin_address()) when its input is
// written and its output free; no step of the schedule begins before all of them have done so. When all steps
// that use a rank's input and output have ended, the rank's register is written.
struct Begin {
    std::uint32_t number = 0;
    std::vector<std::uint32_t> members;  // members of each rank's group; 1: it is in none
    std::vector<RegisterWrite> at_end;   // by rank
};

// Returns the address at which the kernel of `from` tells the one of `to` that it has begun, as the chip of
// `from` names it.
std::uint64_t begin_address(CoreId from, CoreId to, std::uint32_t number);

// A ring of a rank's DMA engines.
struct RingId {
    std::uint32_t rank = 0;
    unsigned engine = 0, ring = 0;
    bool operator==(const RingId&) const = default;
    bool operator<(const RingId& other) const {
        return std::tie(rank, engine, ring) < std::tie(other.rank, other.engine, other.ring);
    }
};
struct CollectiveCoreId {
    unsigned chip = 0, core = 0;
    bool operator==(const CollectiveCoreId&) const = default;
    bool operator<(const CollectiveCoreId& other) const {
        return std::tie(chip, core) < std::tie(other.chip, other.core);
    }
};

struct Lowered {
    std::map<RingId, Ring> rings;
    std::map<CollectiveCoreId, collective_cores::Program> programs;
};

class Lowerer {
  public:
    // `begins` is the most schedules that kernels start. Throws Error for fewer rings than channels.
    explicit Lowerer(const Lowering& lowering, std::uint32_t begins = 0);

    // Adds a schedule that is executed when collective cores start, or when kernels begin it. Throws Error
    // when something is larger than a ring, or flags run out.
    void add(const collectives::Schedule& schedule, const BufferAddresses& buffers,
             const std::optional<Begin>& begin = {});

    Lowered finish() &&;

    // A channel of a collective core: the channels of a rank, then two more of its first core.
    struct ChannelId {
        CollectiveCoreId core;
        unsigned channel = 0;
        bool operator<(const ChannelId& other) const {
            return std::tie(core, channel) < std::tie(other.core, other.channel);
        }
    };

  private:
    class Writer;  // writes one schedule

    Lowering lowering_;
    std::uint32_t begins_;
    std::map<RingId, Ring> rings_;
    std::map<ChannelId, collective_cores::Channel> channels_;
    std::map<CollectiveCoreId, std::uint32_t> flags_;  // flags in use, beside those of beginnings
    // Turns of the engines of each rank's channel, and of all engines for short steps.
    std::map<std::tuple<std::uint32_t, unsigned, bool>, unsigned> turns_;
};

}  // namespace trnsim::loader
