// The collectives of the kernels that run on all ranks of a server (docs/collectives.md). Of a server in several processes
// each has all of them and works on the chips that are there.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "lib/communicator/communicator.hpp"
#include "lib/communicator/ring_memory.hpp"
#include "lib/neff/package.hpp"
#include "lib/runtime/image.hpp"

namespace trnsim::runtime {

class Collectives {
  public:
    // A package for each rank, on the core ranks[r]. Throws Error unless all of them have the same collectives in the
    // same order, of as many ranks, and leave the rings that collectives need.
    Collectives(tlm::LinkedServer& server, const std::vector<addresses::CoreId>& ranks,
                std::span<const std::shared_ptr<const neff::Package>> packages);

    // For plan() of a rank's package.
    Begins begins(std::uint32_t rank) const;

    // Makes schedules for tensors where the images have them, with scratch and rings in blocks of each rank. Throws
    // Error.
    void place(std::span<const Image* const> images, std::span<Blocks* const> blocks);
    // What is in memory before the first execution.
    void write();

    // Register writes of the first collective core of a chip, by chip.
    using Writes = std::map<unsigned, std::vector<tlm::collectives::RegisterWrite>>;

    // Before every execution, behind reset(): sets up the rings, loads and starts the collective cores, which make
    // these writes as well. No simulated time passes.
    void start(std::uint32_t rounding_seed, const Writes& writes);

    // Those of rank 0 in the order of its triggers, and the algorithm of each.
    std::size_t count() const { return order_.empty() ? 0 : order_.front().size(); }
    const neff::Transfer& transfer(std::size_t number) const {
        return packages_.front()->transfers[order_.front()[number]];
    }
    collectives::Algorithm algorithm(std::size_t number) const { return algorithms_.at(number); }

  private:
    std::uint32_t ranks() const { return static_cast<std::uint32_t>(cores_.size()); }
    const neff::Collective& collective(std::size_t number) const { return *transfer(number).collective; }
    bool here(std::uint32_t rank) const { return server_.here(cores_[rank].chip); }
    void check(std::uint32_t rank) const;
    std::vector<std::uint32_t> group_of(std::size_t number, std::uint32_t rank) const;

    tlm::LinkedServer& server_;
    std::vector<addresses::CoreId> cores_;                        // by rank
    std::vector<std::shared_ptr<const neff::Package>> packages_;  // the same
    std::vector<std::vector<std::uint32_t>> order_;               // transfers, by rank
    std::vector<collectives::Algorithm> algorithms_;              // by number
    communicator::Lowered lowered_;
    std::map<communicator::RingId, communicator::RingMemory> memory_;
};

}  // namespace trnsim::runtime
