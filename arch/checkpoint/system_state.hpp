// The state of the simulated chips of a system between instructions: quiescent cores and their idle DMA
// engines, waiting collective cores, and the contents of HBM. It leaves out state that affects only times:
// open rows and refreshes of HBM, the turns of arbiters, sequence numbers and credits of idle links.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arch/checkpoint/core_state.hpp"

namespace trnsim::checkpoint {

// A direction of a DMA ring whose descriptors have all been executed: its registers and the place at which it
// continues.
struct RingState {
    std::uint64_t base = 0;
    std::uint32_t size = 0;              // descriptors, 0: not set up
    std::uint32_t place = 0, wraps = 0;  // index of the next descriptor; number of times that it has wrapped
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

// A collective core without writes in flight. Its program is left out: loading the kernels makes it again.
struct CollectiveCoreState {
    bool running = false;             // its program has begun and not ended
    std::vector<std::uint64_t> next;  // the next entry of each channel
    std::vector<std::uint32_t> flags;
};

struct ChipState {
    unsigned number = 0;
    std::vector<SlotState> slots;                       // slots with cores
    std::vector<std::vector<PageState>> hbm;            // by stack
    std::vector<CollectiveCoreState> collective_cores;  // none: the chip has none
};

// The system and the kernel to which a state belongs; a run can continue from it only if all members are
// equal.
struct Identity {
    std::string configuration;  // hash of the keys that shape chips and cores
    std::string kernel;         // hash of the packages
    std::string placement;      // hash of the places of its programs, rings and tensors
};

struct SystemState {
    Identity identity;
    std::uint64_t begun = 0;  // fs of simulated time at which engines were held
    std::uint64_t time = 0;   // fs of simulated time at which everything was quiescent
    std::vector<ChipState> chips;
};

}  // namespace trnsim::checkpoint
