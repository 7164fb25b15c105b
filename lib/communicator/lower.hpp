// From the steps of a schedule to what a server carries out: descriptors in the rings of DMA engines, and
// programs of collective cores that ring their doorbells.
//
// The steps of a rank are dealt to channels, and its DMA engines are divided among the channels that it uses:
// an engine does one transfer at a time, so what goes over different links must not share one. A collective
// core walks a channel in order; channels overtake each other as their waits allow. A step's elements are
// divided among the engines of its channel (a short one has any of the rank), and each share ends with packets that count up a flag of every
// collective core that waits for the step.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "lib/base/addresses/addresses.hpp"
#include "lib/collectives/schedule.hpp"
#include "tlm/collectives/program.hpp"
#include "tlm/dma/registers.hpp"

namespace trnsim::communicator {

using addresses::CoreId;

constexpr unsigned Channels = 8;  // of a rank, at most

struct Lowering {
    std::vector<CoreId> ranks;  // whose DMA engines and collective cores a rank has
    unsigned engines = 0;       // of a core
    unsigned rings = 0;         // of an engine: channels have the last ones
    // Addresses on the rank's chip, of each buffer and of a word with the value 1.
    std::vector<std::array<std::uint64_t, collectives::BufferCount>> buffers;
    std::vector<std::uint64_t> one;
};

// A ring of a DMA engine, both directions.
struct Ring {
    std::vector<tlm::dma::Descriptor> m2s, s2m;
};
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
    std::map<CollectiveCoreId, tlm::collectives::Program> programs;
};

// Throws Error when something is larger than a ring, or flags run out.
Lowered lower(const collectives::Schedule& schedule, const Lowering& lowering);

}  // namespace trnsim::communicator
