// Types for the numbers of resources of which a core has several.
#pragma once

#include <cstdint>

namespace trnsim::builder {

// The KernelBuilder that has made something: no two of a process have the same number. Objects made by hand
// belong to no builder, and any builder takes them.
using BuilderNumber = std::uint64_t;
constexpr BuilderNumber NoBuilder = 0;
constexpr bool are_of_two_builders(BuilderNumber one, BuilderNumber other) {
    return one != NoBuilder && other != NoBuilder && one != other;
}

// A DMA queue of the kernel: one ring on every DMA engine.
struct Queue {
    std::uint32_t number = 0;
    BuilderNumber builder = NoBuilder;
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
