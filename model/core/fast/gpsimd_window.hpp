// Beats of the bus for the memories of the GpSimd cores, on the bus clock (rtl/bus/gpsimd_window.sv): one at
// a time; a beat waits while its request is not answered.
#pragma once

#include <cstdint>

#include "model/core/fast/round_robin.hpp"
#include "model/core/fast/window_port.hpp"

namespace trnsim::tlm::core_fast {

// The beat as the engine sees it. The engine must do it while `request` differs from the engine's answer.
struct GpsimdBeat {
    bool request = false;
    bool write = false;
    std::uint32_t address = 0;  // address in the core window
    WindowPort::Beat data{};
};

class GpsimdWindow {
  public:
    const GpsimdBeat& beat() const { return beat_; }
    bool busy() const { return busy_; }

    // Returns the ports that are served in this cycle, one bit each: writes, then reads. `done`: the engine's
    // answer.
    std::uint32_t grants(bool done) const { return busy_ && beat_.request == done ? owner_ : 0; }

    // `wanted`: ports that want a beat of these memories. Returns the bit of the port with the beat that is
    // taken, 0: none. The caller then gives its address and data to take().
    std::uint32_t edge(std::uint32_t wanted, bool done, bool hold) {
        const bool was_busy = busy_;
        if (busy_ && beat_.request == done) busy_ = false;
        if (wanted == 0 || was_busy || hold) return 0;
        owner_ = turn_.grant(wanted);
        turn_.advance(owner_);
        busy_ = true;
        beat_.request = !beat_.request;
        return owner_;
    }
    void take(bool write, std::uint32_t address, const WindowPort::Beat& data) {
        beat_.write = write;
        beat_.address = address;
        if (write) beat_.data = data;
    }

  private:
    RoundRobin turn_;
    bool busy_ = false;
    std::uint32_t owner_ = 0;
    GpsimdBeat beat_;
};

}  // namespace trnsim::tlm::core_fast
