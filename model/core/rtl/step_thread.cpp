#include "model/core/rtl/step_thread.hpp"

#include <sched.h>

namespace trnsim::tlm {
namespace {

constexpr int Looks = 2000;  // tens of microseconds: longer than a core works between two steps

// Without a second processor there is no spinning: it would only keep the other side from running.
int looks_here() {
    cpu_set_t processors;
    return ::sched_getaffinity(0, sizeof processors, &processors) == 0 && CPU_COUNT(&processors) > 1 ? Looks
                                                                                                     : 0;
}

void relax() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

}  // namespace

StepThread::StepThread(unsigned threads, std::function<void()> step)
    : step_(std::move(step)), beside_(threads > 1), looks_(looks_here()) {}

StepThread::~StepThread() {
    if (!thread_.joinable()) return;
    if (state_.load(std::memory_order_acquire) != Idle) end_step();
    state_.store(End, std::memory_order_release);
    state_.notify_one();
    thread_.join();
}

void StepThread::start() {
    if (!beside_) {
        run_step();
        return;
    }
    if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
    state_.store(Ready, std::memory_order_release);
    state_.notify_one();
}

void StepThread::run_step() noexcept {
    try {
        step_();
    } catch (...) {
        failure_ = std::current_exception();
    }
}

bool StepThread::take(State by) noexcept {
    State ready = Ready;
    return state_.compare_exchange_strong(ready, by, std::memory_order_acquire);
}

void StepThread::end_step() noexcept {
    if (take(OwnersOwn)) {
        run_step();
        state_.store(Idle, std::memory_order_release);
    } else {
        while (leave(Taken) != Idle) {
        }
    }
}

void StepThread::work() {
    for (State state = Idle; state != End; state = leave(state)) {
        if (state != Ready || !take(Taken)) continue;
        run_step();
        state_.store(Idle, std::memory_order_release);
        state_.notify_one();
        state = Idle;
    }
}

StepThread::State StepThread::leave(State old) const noexcept {
    for (int look = 0; look < looks_; ++look) {
        if (const State now = state_.load(std::memory_order_acquire); now != old) return now;
        relax();
    }
    state_.wait(old, std::memory_order_acquire);
    return state_.load(std::memory_order_acquire);
}

}  // namespace trnsim::tlm
