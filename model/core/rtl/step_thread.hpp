// Work that runs in steps parallel to its owner's: start() lets the next step begin, finish() waits for its
// end.
//
// The steps of a simulation follow each other within microseconds, so both sides spin for a while before they
// sleep. If the thread has not begun a step by finish(), because it has no processor, the owner does the step
// itself. A thread exists from the first step on.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <thread>
#include <utility>

namespace trnsim::tlm {

class StepThread {
  public:
    // If `threads` is 1 there is no thread: a step runs within start(). finish() throws the exception that
    // leaves a step.
    StepThread(unsigned threads, std::function<void()> step);
    ~StepThread();
    StepThread(const StepThread&) = delete;
    StepThread& operator=(const StepThread&) = delete;

    // Must be called after finish().
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
    // Waits until the state differs from `old` and returns the new one.
    State leave(State old) const noexcept;

    std::function<void()> step_;
    bool beside_;
    int looks_;  // times to look before a side sleeps
    std::exception_ptr failure_;
    std::thread thread_;
    alignas(64) std::atomic<State> state_ = Idle;
};

}  // namespace trnsim::tlm
