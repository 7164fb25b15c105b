// The DMA engines of the interpreter: each works on its rings on its own, in any order the hardware allows.
//
// A transfer that is triggered becomes one share for every DMA engine. A share reads and writes its bytes at
// any time between its trigger and its completion; which engine moves which bytes is not promised. A ring
// completes its shares in order, and the completion of a share comes after all that the ring has been given
// before it. Nothing else is ordered: neither different DMA engines, nor different rings of one, nor the
// reads and writes of a share with those of the next.
//
// The index of a row is read like its bytes: at any time between trigger and completion. Rows that are
// combined with those at the destination come one after the other: each DMA engine has a part of every row.
//
// A collective is a share of every DMA engine that moves nothing by itself: it is complete when all ranks
// have begun it, and its output is written then. The collectives of one call, in the iterations of a loop,
// share the memory that the DMA engines need for it: an agent may trigger one only if it knows that the one
// before is complete.
//
// A ring that is triggered again holds one cycle of its queue. A trigger must be ordered after the completion
// of the firing that had its place in the ring before.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "compiler/neff/ring_order.hpp"
#include "testbench/functional/limits.hpp"
#include "testbench/functional/rendezvous.hpp"
#include "testbench/functional/storage.hpp"
#include "testbench/functional/transfer.hpp"

namespace trnsim::functional {

// The policy that chooses what happens next where the hardware leaves it open.
enum class Adversary : std::uint8_t {
    Earliest,  // a transfer is complete as soon as it is triggered
    Latest,    // nothing moves until every engine waits; then one DMA engine runs as far ahead as it can
    Random,    // shares, pieces and DMA engines in an order drawn by the seed, some of them far behind
};

// The place where collectives meet those of other ranks. A null `rendezvous` means that there are no other
// ranks.
struct Meets {
    Rendezvous* rendezvous = nullptr;
    std::size_t rank = 0;
};

class Dma {
  public:
    // Called when a DMA engine has completed its share of a transfer. `actor` stands for the completion.
    using OnComplete = std::function<void(std::size_t transfer, const Actor& actor)>;

    Dma(const neff::Package& package, Storage& storage, Journal& journal, Adversary adversary,
        std::mt19937_64& random, OnComplete on_complete, const Meets& meets, const Budget& budget);

    // Triggers a transfer for an agent that knows `known`. Throws Error when another transfer is next in its
    // ring, or when the ring may be full.
    void trigger(std::size_t transfer, const Clock& known);

    // Lets time pass; `stuck` says that nothing else can go on. Returns whether anything has happened. Throws
    // Error.
    bool step(bool stuck);

    bool idle() const;

  private:
    struct Share {
        std::size_t transfer;
        std::uint32_t time;  // time of its ring
        std::shared_ptr<const Clock> known;
        std::shared_ptr<const Clock> own;             // `known` and its own time; for rows that are combined
        std::vector<Piece> pieces;                    // in the order in which they are moved
        std::vector<std::vector<std::uint8_t>> data;  // data of the pieces read so far
        std::size_t written = 0;
    };
    struct Ring {
        std::deque<Share> shares;
        std::uint32_t time = 0;
    };

    void check_room(std::size_t ring, std::uint64_t length, const Clock& known) const;
    std::vector<std::vector<Piece>> deal(const neff::Transfer& transfer);
    std::vector<std::vector<Piece>> deal_columns(const neff::Transfer& transfer) const;
    void read_piece(std::size_t ring, const Share& share, Piece& piece, std::vector<std::uint8_t>& data);
    // Moves a piece to the row of its index. Returns false if the row is left out.
    bool find_row(std::size_t ring, const Share& share, Piece& piece);
    void read(std::size_t ring, Share& share, std::size_t count);
    void write(std::size_t ring, Share& share, std::size_t count);
    void begin_collective(const neff::Firing& firing, const Clock& known);
    void check_memory(std::size_t ring, std::size_t transfer, const Clock& known);
    bool end_collective(bool stuck);
    bool is_collective(const Ring& ring) const {
        return !ring.shares.empty() && package_.transfers[ring.shares.front().transfer].collective;
    }
    bool complete(std::size_t ring);
    void finish(std::size_t ring);
    bool step_adversary(bool stuck);
    bool step_latest();
    bool step_random(bool stuck);
    bool move_some(std::size_t ring);
    [[noreturn]] void fail(std::size_t ring, const Share& share, const std::exception& error) const;
    Actor actor(std::size_t ring, const Share& share) const {
        return {
            neff::EngineCount + ring, share.time, share.own ? share.own.get() : share.known.get(),
            package_.transfers[share.transfer].combination || package_.transfers[share.transfer].collective};
    }

    const neff::Package& package_;
    Agents agents_;
    Storage& storage_;
    Journal& journal_;
    Adversary adversary_;
    std::mt19937_64& random_;
    OnComplete on_complete_;
    Meets meets_;
    const Budget& budget_;
    std::vector<neff::RingOrder> orders_;         // by queue
    std::vector<Ring> rings_;                     // by queue and DMA engine, as Agents numbers them
    std::vector<unsigned> speeds_;                // Random: speed of each DMA engine, 0 to 8
    std::map<std::size_t, std::uint32_t> begun_;  // time at which each collective was last begun, by transfer
};

}  // namespace trnsim::functional
