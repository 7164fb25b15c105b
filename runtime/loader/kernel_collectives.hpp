// The collectives of the kernels that run on all ranks of a server (docs/collectives.md). A call in a loop is
// a collective in each iteration, with its own descriptors. The iterations use one schedule and its scratch
// memory in turn, because a rank begins an iteration when the previous one is complete there.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "arch/config/server.hpp"
#include "base/status/status.hpp"
#include "compiler/neff/package.hpp"
#include "compiler/neff/ring_order.hpp"
#include "runtime/loader/image.hpp"
#include "runtime/loader/lower_schedules.hpp"

namespace trnsim::loader {

class KernelCollectives {
  public:
    // `packages` has one for each rank, on the core ranks[r]. Throws Error unless all of them have the same
    // collectives in the same order, those of loops iteration by iteration, for as many ranks as there are,
    // and leave the rings that collectives need.
    KernelCollectives(const config::Server& server, const std::vector<addresses::CoreId>& ranks,
                      std::span<const std::shared_ptr<const neff::Package>> packages);

    // Returns the `begins` for plan() of a rank's package.
    Begins begins(std::uint32_t rank) const;

    // Makes schedules for the tensors at the places in the images, with scratch and rings in blocks of each
    // rank. Throws Error.
    void place(std::span<const Image* const> images, std::span<Blocks* const> blocks);
    // Returns the placed rings with memory, and programs.
    const Lowered& lowered() const { return lowered_; }
    CoreId core(std::uint32_t rank) const { return cores_[rank]; }

    // Register writes of the first collective core of a chip, by chip.
    using Writes = std::map<unsigned, std::vector<RegisterWrite>>;
    // Returns the programs with these writes added.
    std::map<CollectiveCoreId, collective_cores::Program> programs(const Writes& writes) const;

    // Returns the actions and places of collective cores and rings: equal bytes mean the same collectives in
    // the same places.
    std::vector<std::uint8_t> bytes() const;

    // The calls of the kernels, in the order of the first triggers.
    struct Call {
        std::vector<std::uint32_t> transfers;            // by rank
        std::vector<std::vector<std::uint32_t>> groups;  // by rank: members of its group
        std::uint32_t times = 0;                         // number of iterations
        collectives::Algorithm algorithm{};
    };
    std::span<const Call> calls() const { return calls_; }
    // Returns the transfer of rank 0.
    const neff::Transfer& transfer(const Call& call) const {
        return packages_.front()->transfers[call.transfers.front()];
    }

  private:
    struct Prepared;  // a call

    std::uint32_t ranks() const { return static_cast<std::uint32_t>(cores_.size()); }
    std::uint32_t count() const { return static_cast<std::uint32_t>(order_.front().size()); }
    const neff::Transfer& transfer(std::uint32_t rank, std::size_t number) const {
        return packages_[rank]->transfers[order_[rank][number].transfer];
    }
    void check(std::uint32_t rank) const;
    void find_calls();
    Prepared prepare(Call& call, std::span<Blocks* const> blocks);
    // Throws Error for a collective that does not fit.
    [[noreturn]] void refuse(std::uint32_t number, const std::string& why, Status status) const;

    config::Server server_;
    std::vector<CoreId> cores_;                                   // by rank
    std::vector<std::shared_ptr<const neff::Package>> packages_;  // by rank
    std::vector<std::vector<neff::Firing>> order_;                // collectives, by rank
    std::vector<Call> calls_;
    std::vector<std::uint32_t> call_of_;  // index: number of the collective
    Lowered lowered_;
};

}  // namespace trnsim::loader
