// ^C ends the simulation but not the program, so that no partial file stays behind.
#pragma once

#include <atomic>
#include <csignal>

namespace trnsim::cli {

// In force while it lives.
class InterruptGuard {
  public:
    InterruptGuard() : previous_(std::signal(SIGINT, [](int) { flag = true; })) { flag = false; }
    ~InterruptGuard() { std::signal(SIGINT, previous_); }
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

    static bool interrupted() { return flag; }

  private:
    static inline std::atomic<bool> flag = false;
    void (*previous_)(int);
};

}  // namespace trnsim::cli
