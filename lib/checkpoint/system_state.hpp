// The state of a simulated chip between instructions: its cores and their DMA engines, quiescent and idle, and what HBM holds. Not in
// it, as they decide about times alone: open rows and refreshes of HBM, whose turn it is at arbiters.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/checkpoint/core_state.hpp"

namespace trnsim::checkpoint {

// A direction of a DMA ring whose descriptors have all been executed: its registers, and where it goes on.
struct RingState {
    std::uint64_t base = 0;
    std::uint32_t size = 0;              // descriptors, 0: not set up
    std::uint32_t place = 0, wraps = 0;  // index of the next descriptor; how often it has gone round
};

struct DmaEngineState {
    std::uint32_t rounding_control = 0, rounding_seed = 0;  // registers
    std::vector<RingState> m2s, s2m;                        // by ring
};

struct SlotState {
    unsigned slot = 0;
    CoreState core;
    std::vector<DmaEngineState> dma;
};

struct PageState {
    std::uint64_t number = 0;  // address / bytes of a page
    std::vector<std::uint8_t> bytes;
};

// What a state belongs to; all of it has to be the same where the state goes on.
struct Identity {
    std::string configuration;  // hash of what shapes chip and core
    std::string kernel;         // hash of the package
    std::string placement;      // hash of where its programs, rings and tensors are
};

struct SystemState {
    Identity identity;
    std::string fidelity;     // of the core that was saved
    std::uint64_t begun = 0;  // when engines were held, fs of simulated time
    std::uint64_t time = 0;   // when everything was quiescent
    std::vector<SlotState> slots;
    std::vector<std::vector<PageState>> hbm;  // by stack
};

}  // namespace trnsim::checkpoint
