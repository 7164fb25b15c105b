// Short names for the TLM-2.0 types, and times as plain femtoseconds.
//
// Every model keeps times as whole femtoseconds; SystemC's resolution is set to match, so that no conversion
// ever rounds.
#pragma once

#include <cstdint>
#include <systemc>
#include <tlm>

#include "base/time/cycles.hpp"
#include "base/time/time.hpp"

namespace trnsim::tlm {

using Payload = ::tlm::tlm_generic_payload;
using Phase = ::tlm::tlm_phase;
using Sync = ::tlm::tlm_sync_enum;
using Response = ::tlm::tlm_response_status;
using Time = std::uint64_t;  // fs

// Sets SystemC's resolution to 1 fs. Must be called before the first time value or model is made; calling it
// again is harmless.
void use_femtoseconds();

// The time that models see: SystemC's, which is changed in place, or that of the chip at work where chips are
// simulated one after the other (alarm.hpp).
inline const sc_core::sc_time*& shown_time() {
    static const sc_core::sc_time* shown = &sc_core::sc_time_stamp();
    return shown;
}
inline Time now() {
    return shown_time()->value();
}
inline sc_core::sc_time to_sc(Time time) {
    return sc_core::sc_time::from_value(time);
}

// Returns the delay annotation for a call that takes effect at `time`, which is not in the past.
inline sc_core::sc_time delay_until(Time time) {
    const Time from = now();
    return time > from ? to_sc(time - from) : sc_core::SC_ZERO_TIME;
}

// Returns the duration of `amount` units at `rate` units a second, rounded up.
constexpr Time duration(std::uint64_t amount, std::uint64_t rate) {
    return cycles_to_time(amount, rate, Round::Up);
}

}  // namespace trnsim::tlm
