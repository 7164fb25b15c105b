// What has to wait for what in a loop, in every iteration.
//
// A call waits for calls of the same iteration or of the one before. That is enough: an engine completes its
// calls in order and a queue its transfers, so the iteration before implies those before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "compiler/builder/loop_body.hpp"

namespace trnsim::builder {

// A wait for a transfer. Every transfer has exactly one in an iteration, which takes what the DMA engines have
// counted; whoever else needs the transfer waits for the take. Transfers that are taken at the same
// place count together: the sum is reached only when all of them are complete.
struct LoopTake {
    std::vector<std::size_t> transfers;  // calls
    bool previous = false;               // those of the iteration before
};

// What the streams execute, in the order of the kernel: takes, each right before the call that needs it first,
// and calls.
struct LoopItem {
    isa::Engine engine;
    std::size_t call;      // a take's: before which it stands
    const LoopTake* take;  // none: the call itself
};

// Item `to` comes after the completion of item `from`.
struct LoopWait {
    std::size_t from, to;
    bool previous;  // of the iteration before
};

class LoopOrder {
  public:
    // Whether a later access depends on an earlier one at the same place: Dependences::depends.
    using Depends = std::function<bool(bool earlier_write, bool write)>;

    LoopOrder(const LoopBody& body, Depends depends);
    LoopOrder(const LoopOrder&) = delete;
    LoopOrder& operator=(const LoopOrder&) = delete;

    const std::vector<LoopTake>& takes() const { return takes_; }
    const std::vector<LoopItem>& items() const { return items_; }
    // Without those that others imply; none within one engine but for triggers.
    const std::vector<LoopWait>& waits() const { return waits_; }
    // The take of a transfer, by call.
    const LoopTake& take_of(std::size_t call) const { return takes_[take_of_.at(call)]; }

  private:
    enum class Needs : std::uint8_t { Nothing, Previous, Same };

    Needs needs(std::size_t earlier, std::size_t later) const;
    void choose_takes();
    void make_steps();
    void find_waits();
    void add(const LoopWait& wait);
    // Whether the order of the streams and the waits, but for number `without`, put the waiting item behind
    // `node`.
    bool implied(std::size_t node, const LoopWait& wait, std::size_t without) const;
    void remove_implied();

    const LoopBody& body_;
    Depends depends_;
    std::vector<LoopTake> takes_;
    std::vector<std::size_t> take_of_;  // by call; of transfers
    std::vector<LoopItem> items_;
    std::vector<std::size_t> item_of_call_, item_of_take_;
    struct Step {
        std::size_t node;
        bool next;  // iteration
    };
    std::vector<std::vector<Step>>
        steps_;  // of the streams and queues, by node: 2 * item for its issue, + 1 for completion
    std::vector<LoopWait> waits_;
    std::vector<std::vector<std::size_t>> waits_from_;  // numbers, by item
};

}  // namespace trnsim::builder
