// Semaphores as cumulative counters.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/builder/resources.hpp"

namespace trnsim::builder {

// A point in the count of a semaphore: reached when S[semaphore] >= value.
struct Point {
    Semaphore semaphore;
    std::uint32_t value = 0;
    bool operator==(const Point&) const = default;
};

// Hands out the semaphores of a core, lowest first.
class SemaphorePool {
  public:
    static constexpr unsigned Count = 256;

    explicit SemaphorePool(unsigned count = Count) : count_(count) {}

    // Throws Error when all are taken.
    Semaphore take();
    unsigned taken() const { return taken_; }

  private:
    unsigned count_, taken_ = 0;
};

// Counts the completions of one in-order producer. Semaphores only ever grow; a count that would go beyond
// the largest value an instruction can wait for continues in a fresh semaphore. That is sound because the
// producer completes in order: a point in a later semaphore implies every point in an earlier one.
class Counter {
  public:
    static constexpr std::uint32_t MaxValue = (1u << 24) - 1;  // maximum of the wait_value field

    explicit Counter(SemaphorePool& pool, std::uint32_t max_value = MaxValue)
        : pool_(&pool), max_value_(max_value) {}

    // Returns the point at which `amount` more has been added. Takes a semaphore on first use.
    Point advance(std::uint32_t amount);

  private:
    SemaphorePool* pool_;
    std::uint32_t max_value_;
    bool used_ = false;
    Point point_;
};

// Counts the completions of the DMA engines for one queue. Every engine adds 1 for its share of a transfer,
// and engines run ahead of each other: a sum over several transfers does not say which of them are complete.
// So transfers take turns on `semaphores`, and a transfer may be triggered only when the one that had its
// semaphore before is complete on every engine: then a semaphore reaches the transfer's value by the shares
// of that transfer alone.
class TransferCounter {
  public:
    // Enough to cover the latency of small transfers; a further transfer waits for the one that many places
    // before it.
    static constexpr std::uint32_t MaxInFlight = 64;

    // `semaphores`: 1 to MaxInFlight, the transfers that may be in flight. `shares`: DMA engines.
    TransferCounter(SemaphorePool& pool, std::uint32_t semaphores, std::uint32_t shares);

    // Returns the point at which transfer `index` of the queue is complete. Throws Error beyond the largest
    // value that an instruction can wait for.
    Point completion(std::uint64_t index) const;

  private:
    std::vector<Semaphore> semaphores_;
    std::uint32_t shares_;
};

}  // namespace trnsim::builder
