// The waits within a loop, in every iteration.
//
// A call waits for calls of the same iteration or of the previous one. That is enough: an engine completes
// its calls in order and a queue its transfers, so the previous iteration implies those before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "compiler/builder/loop_body.hpp"

namespace trnsim::builder {

// A wait for a transfer. Every transfer has exactly one in an iteration, which subtracts the count of the DMA
// engines; any other call that needs the transfer waits for the take. Transfers that are taken at the same
// place count together: the sum is reached only when all of them are complete.
struct LoopTake {
    std::vector<std::size_t> transfers;  // calls
    bool previous = false;               // they are of the previous iteration
};

// The items that the streams execute, in the order of the kernel: calls and takes, each take right before the
// call that needs it first.
struct LoopItem {
    isa::Engine engine;
    std::size_t call;      // for a take, the call after it
    const LoopTake* take;  // nullptr: the call itself
};

// Item `to` comes after the completion of item `from`.
struct LoopWait {
    std::size_t from, to;
    bool previous;  // `from` is of the previous iteration
};

class LoopOrder {
  public:
    // Returns whether a later access depends on an earlier one at the same place: Dependences::depends.
    using Depends = std::function<bool(bool earlier_write, bool write)>;

    LoopOrder(const LoopBody& body, Depends depends);
    LoopOrder(const LoopOrder&) = delete;
    LoopOrder& operator=(const LoopOrder&) = delete;

    const std::vector<LoopTake>& takes() const { return takes_; }
    const std::vector<LoopItem>& items() const { return items_; }
    // The waits that no others imply; none within one engine except for triggers.
    const std::vector<LoopWait>& waits() const { return waits_; }
    // Returns the take of a transfer, by call.
    const LoopTake& take_of(std::size_t call) const { return takes_[take_of_.at(call)]; }

  private:
    enum class Needs : std::uint8_t { Nothing, Previous, Same };

    Needs needs(std::size_t earlier, std::size_t later) const;
    void choose_takes();
    void make_steps();
    void find_waits();
    void add(const LoopWait& wait);
    // Returns whether the order of the streams and the waits other than number `without` put the waiting item
    // after `node`.
    bool implied(std::size_t node, const LoopWait& wait, std::size_t without) const;
    void remove_implied();

    const LoopBody& body_;
    Depends depends_;
    std::vector<LoopTake> takes_;
    std::vector<std::size_t> take_of_;  // by call, for transfers
    std::vector<LoopItem> items_;
    std::vector<std::size_t> item_of_call_, item_of_take_;
    struct Step {
        std::size_t node;
        bool next;  // in the next iteration
    };
    std::vector<std::vector<Step>>
        steps_;  // order of streams and queues, by node: 2 * item for its issue, + 1 for completion
    std::vector<LoopWait> waits_;
    std::vector<std::vector<std::size_t>> waits_from_;  // numbers of waits, by item
};

}  // namespace trnsim::builder
