// Work that goes on beside its owner's, in steps: start() lets the next one begin, finish() waits for its
// end.
//
// The steps of a simulation follow each other within microseconds, so both sides look again and again for a
// while before they sleep. A step that the thread has not begun by finish(), for want of a processor, is the
// owner's: then it waits for nobody. A thread exists from the first step on.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <thread>
#include <utility>

namespace trnsim::tlm {

class StepThread {
  public:
    // With `threads` 1 there is none: a step runs within start(). An exception that leaves a step comes out
    // of finish().
    StepThread(unsigned threads, std::function<void()> step);
    ~StepThread();
    StepThread(const StepThread&) = delete;
    StepThread& operator=(const StepThread&) = delete;

    // After finish().
    void start();
    void finish() {
        if (state_.load(std::memory_order_acquire) != Idle) end_step();
        if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    }

  private:
    enum State : int { Idle, Ready, Taken, OwnersOwn, End };

    void run_step() noexcept;
    void end_step() noexcept;
    void work();
    bool take(State by) noexcept;
    // Returns once the state is another than `old`, with the new one.
    State leave(State old) const noexcept;

    std::function<void()> step_;
    bool beside_;
    int looks_;  // before a side sleeps
    std::exception_ptr failure_;
    std::thread thread_;
    alignas(64) std::atomic<State> state_ = Idle;
};

}  // namespace trnsim::tlm
