// The architectural state in the registers of a verilated core. It is compiled for each core, because the
// names and widths of registers are those of its model.
#pragma once

#include "arch/checkpoint/core_state.hpp"
#include "model/core/rtl/lower_rows.hpp"

class Vneuron_core___024root;  // NOLINT(readability-identifier-naming): Verilator names it

namespace trnsim::tlm {

// Returns whether all sequencers stand and have nothing under way; the caller checks the engines.
bool stands(const Vneuron_core___024root& root);

// Throws checkpoint::Error for anything that a state cannot hold.
checkpoint::CoreState save_state(const Vneuron_core___024root& root, LowerRows& lower);

// Loads a core that has been reset and is at rest. Signals that depend on registers without a clock are
// updated by settle().
void load_state(const checkpoint::CoreState& state, Vneuron_core___024root& root, LowerRows& lower);

// Updates the signals that depend on registers without a clock.
void settle(Vneuron_core___024root& root);

}  // namespace trnsim::tlm
