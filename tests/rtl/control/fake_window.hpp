// The core window at the port of register_load and register_store: SBUF and PSUM are plain words, and
// everything above is forwarded to the block's own port. Latency and readiness are random.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>

namespace trnsim::test {

// Signals at the port in a cycle, seen from the window.
struct WindowIn {
    bool aw_valid, w_valid, ar_valid;
    std::uint32_t address, w_data;
};
struct WindowOut {
    bool aw_ready = false, w_ready = false, ar_ready = false, b_valid = false, r_valid = false;
    unsigned resp = 0;
    std::uint32_t r_data = 0;
};
struct WindowAccess {
    bool write;
    std::uint32_t address, data;
};

class FakeWindow {
  public:
    FakeWindow(std::uint64_t seed, unsigned ready_percent, unsigned latency);
    void reset();

    // drive() returns the signals for this cycle; clock() makes the clock edge with the answers of the other
    // side.
    const WindowOut& drive();
    void clock(const WindowIn& in);

    // The access with its answer in this cycle.
    const WindowAccess& current() const { return *access_; }
    // An access that is to go to the block's own port, and its answer.
    const std::optional<WindowAccess>& forwarded() const { return forwarded_; }
    void answer(std::uint32_t data, bool error);

    std::map<std::uint32_t, std::uint32_t> words;
    std::set<std::uint32_t> holes;  // answered with an error

  private:
    std::mt19937_64 random_;
    unsigned ready_percent_, latency_;
    std::uint64_t now_ = 0;
    bool address_taken_ = false, data_taken_ = false;
    WindowAccess request_{};
    std::optional<WindowAccess> access_, forwarded_;
    std::optional<std::uint64_t> ready_;  // cycle of the answer
    WindowOut out_;
    std::uint32_t data_ = 0;
    bool error_ = false;
};

}  // namespace trnsim::test
