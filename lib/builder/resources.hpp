// Numbers of what a core has several of, as types of their own.
#pragma once

#include <cstdint>

namespace trnsim::builder {

// A DMA queue of the kernel: one ring on every DMA engine.
struct Queue {
    std::uint32_t number = 0;
    bool operator==(const Queue&) const = default;
};

// A PSUM bank.
struct Bank {
    std::uint32_t number = 0;
    bool operator==(const Bank&) const = default;
};

// A semaphore of the core.
struct Semaphore {
    std::uint8_t number = 0;
    bool operator==(const Semaphore&) const = default;
};

}  // namespace trnsim::builder
