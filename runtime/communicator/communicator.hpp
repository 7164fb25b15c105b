// Collectives on a simulated server: buffers in HBM and schedules of compiler/collectives, executed by
// collective cores and DMA engines over NeuronLink.
//
//     tlm::LinkedServer server(tlm::load_server("trn1.32xlarge"), {.collectives = true});
//     Communicator communicator(server, first_cores(server.description(), 8));
//     communicator.prepare({.operation = Operation::AllReduce, .count = 1000, .ranks = 8}, buffers);
//     const Time time = communicator.run();
//
// The bits are those of collectives::execute() on the same schedule, in any timing. Time is simulated.
//
// If a server runs in several processes, each has such a communicator, calls the same functions in the same
// order, and reads and writes the memory of its own ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/collectives/generate.hpp"
#include "model/system/linked_server.hpp"
#include "runtime/communicator/error.hpp"
#include "runtime/loader/fit.hpp"
#include "runtime/loader/lower_schedules.hpp"

namespace trnsim::communicator {

using addresses::CoreId;
using loader::first_cores;
using tlm::Time;

// A rank's part of its chip's HBM: addresses on the chip.
struct Region {
    std::uint64_t base = 0, bytes = 0;
    std::uint64_t end() const { return base + bytes; }
};

// Returns the bytes of a rank's region: a stack for each core, or equal parts of the only stack.
std::uint64_t region_bytes(const config::Hbm& hbm);

// HBM addresses on the ranks' chips, by rank. In place the inputs are ignored.
struct Buffers {
    std::vector<std::uint64_t> input, output;
};

struct Options {
    // nullopt: by size, as collectives::choose_algorithm() does with the published table.
    std::optional<collectives::Algorithm> algorithm{};
    std::uint32_t inner = 0;  // hierarchical: members of an inner group; 0: as many as a chip has cores
    std::uint32_t rounding_seed = 0;  // for stochastic rounding
};

class Communicator {
  public:
    // The server has collective cores and outlives the communicator. Rank r is the core ranks[r] with its DMA
    // engines. Throws Error for a core that does not exist, and for one that two ranks have.
    Communicator(tlm::LinkedServer& server, std::vector<CoreId> ranks);

    std::uint32_t ranks() const { return static_cast<std::uint32_t>(ranks_.size()); }
    CoreId core(std::uint32_t rank) const { return ranks_.at(rank); }
    // Returns whether the rank's chip is in this process.
    bool here(std::uint32_t rank) const { return server_.here(ranks_.at(rank).chip); }
    // Returns everything that a rank may use. Scratch, descriptors and rings of the prepared collective take
    // the end of it.
    Region region(std::uint32_t rank) const;

    // Makes schedule, rings and programs of a collective, which replaces the previous one. No simulated time
    // passes. Throws Error when buffers do not fit, collectives::Error for an invalid request.
    void prepare(const collectives::Request& request, const Buffers& buffers, const Options& options = {});

    // Executes the prepared collective, at every call; all ranks begin at once. Returns the time from the
    // start to the end of the last rank. Throws Failure when it has not ended. Chips are then reset, except
    // for the contents of HBM, and others may follow; this is not possible on a server in several processes.
    Time run();

    // Returns the algorithm of the prepared collective.
    collectives::Algorithm algorithm() const { return algorithm_; }
    const collectives::Schedule& schedule() const { return schedule_; }

    // Accesses to the memory of a rank's chip through a back door, without time. For a rank in another
    // process, write() does nothing and read() throws Error.
    void write(std::uint32_t rank, std::uint64_t address, std::span<const std::uint8_t> data);
    std::vector<std::uint8_t> read(std::uint32_t rank, std::uint64_t address, std::uint64_t bytes);

  private:
    loader::BufferAddresses place(const Buffers& buffers, bool in_place);
    void write_rings();
    void set_up();
    bool starts_afresh();
    void expect_sound() const;
    void set_rounding(std::uint32_t seed);
    std::uint64_t hbm_uncorrected();
    Status status_of(tlm::Outcome outcome, std::uint64_t hbm_uncorrected_before);
    void expect_room(std::uint32_t rank, const char* what, std::uint64_t address, std::uint64_t bytes) const;
    std::uint64_t take(std::uint32_t rank, std::uint64_t bytes, std::uint64_t alignment);

    tlm::LinkedServer& server_;
    std::vector<CoreId> ranks_;
    collectives::Algorithm algorithm_{};
    collectives::Schedule schedule_;
    loader::Lowering lowering_;
    loader::Lowered lowered_;              // prepared collective
    std::optional<std::uint32_t> seed_;    // seed of its rounding
    bool broken_ = false;                  // nothing can be executed any more
    std::vector<std::uint64_t> free_end_;  // by rank: end of the free part of its region
};

}  // namespace trnsim::communicator
