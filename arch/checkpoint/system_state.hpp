// The state of the simulated chips of a system between instructions: cores, quiescent, and their DMA engines, idle; collective cores
// where they wait; what HBM holds. Not in it, as they decide about times alone: open rows and refreshes of HBM, whose turn it is at
// arbiters, sequence numbers and credits of links on which nothing is under way.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arch/checkpoint/core_state.hpp"

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

// A collective core none of whose writes is under way. Its program is not in it: who loads the kernels makes it again.
struct CollectiveCoreState {
    bool running = false;             // its program has begun and not ended
    std::vector<std::uint64_t> next;  // entry of each channel that comes next
    std::vector<std::uint32_t> flags;
};

struct ChipState {
    unsigned number = 0;
    std::vector<SlotState> slots;                       // in which cores stand
    std::vector<std::vector<PageState>> hbm;            // by stack
    std::vector<CollectiveCoreState> collective_cores;  // none: the chip has none
};

// What a state belongs to; all of it has to be the same where the state goes on.
struct Identity {
    std::string configuration;  // hash of what shapes chips and cores
    std::string kernel;         // hash of the packages
    std::string placement;      // hash of where its programs, rings and tensors are
};

struct SystemState {
    Identity identity;
    std::uint64_t begun = 0;  // when engines were held, fs of simulated time
    std::uint64_t time = 0;   // when everything was quiescent
    std::vector<ChipState> chips;
};

}  // namespace trnsim::checkpoint
