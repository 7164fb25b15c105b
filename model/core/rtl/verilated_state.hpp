// The architectural state in the registers of a verilated core. Compiled for each core, as the names and widths of registers are those
// of its model.
#pragma once

#include "arch/checkpoint/core_state.hpp"
#include "model/core/rtl/lower_rows.hpp"

class Vneuron_core___024root;  // NOLINT(readability-identifier-naming): Verilator names it

namespace trnsim::tlm {

// All sequencers stand and nothing is under way for them; that of the engines is up to the caller.
bool stands(const Vneuron_core___024root& root);

// Throws checkpoint::Error for what no state has.
checkpoint::CoreState save_state(const Vneuron_core___024root& root, LowerRows& lower);

// Of a core that has been reset and is at rest. What depends on registers without a clock is as it was until settle().
void load_state(const checkpoint::CoreState& state, Vneuron_core___024root& root, LowerRows& lower);

// Works out what depends on registers without a clock.
void settle(Vneuron_core___024root& root);

}  // namespace trnsim::tlm
