// The 256 semaphores: one update in a cycle, by the engines and the core window in turn
// (rtl/control/semaphores.sv).
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "model/core/fast/control_types.hpp"
#include "model/core/fast/round_robin.hpp"

namespace trnsim::tlm::core_fast {

struct CoreProbe;

class Semaphores {
  public:
    static constexpr unsigned Requesters = EngineCount + 1;  // the last one is the core window

    std::uint32_t value(std::uint8_t semaphore) const { return value_[semaphore]; }
    const std::array<std::uint32_t, 256>& values() const { return value_; }
    void set_all(const std::array<std::uint32_t, 256>& values) { value_ = values; }

    struct Served {
        std::uint32_t requester = 0;  // one bit, 0: none
        bool overflow = false;        // beyond 32 bits or below 0: the semaphore stays as it was
        bool is(unsigned which) const { return (requester >> which & 1) != 0; }
    };
    using Requests = std::array<SemaphoreUpdate, Requesters>;  // mode None: none
    // Shows in waveforms the requester served, the semaphore, and its value afterwards.
    void probe(const Requests& requests, const Served& served, CoreProbe& probe) const;

    Served serve(const Requests& requests, bool hold) const {
        std::uint32_t asking = 0;
        for (unsigned i = 0; i < Requesters && !hold; ++i)
            asking |= std::uint32_t{requests[i].mode != isa::UpdateMode::None} << i;
        Served served{arbiter_.grant(asking), false};
        if (served.requester != 0) served.overflow = overflows(requests[index(served)]);
        return served;
    }
    void edge(const Requests& requests, const Served& served) {
        if (served.requester == 0) return;
        arbiter_.advance(served.requester);
        if (served.overflow) return;
        const SemaphoreUpdate& update = requests[index(served)];
        std::uint32_t& value = value_[update.semaphore];
        if (update.mode == isa::UpdateMode::Set) value = update.value;
        if (update.mode == isa::UpdateMode::Add) value += update.value;
        if (update.mode == isa::UpdateMode::Sub) value -= update.value;
    }

  private:
    static unsigned index(const Served& served) {
        return static_cast<unsigned>(std::countr_zero(served.requester));
    }
    bool overflows(const SemaphoreUpdate& update) const {
        const std::uint32_t old = value_[update.semaphore];
        if (update.mode == isa::UpdateMode::Add) return old + update.value < old;
        return update.mode == isa::UpdateMode::Sub && update.value > old;
    }

    std::array<std::uint32_t, 256> value_{};
    RoundRobin arbiter_;
};

}  // namespace trnsim::tlm::core_fast
