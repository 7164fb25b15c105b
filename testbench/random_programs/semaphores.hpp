// The semaphores of random programs for the sequencers.
#pragma once

#include "isa/isa_tables.hpp"

namespace trnsim::random_programs {

// The semaphore that an engine alone uses, in every mode; the semaphore of its transfers; and the one that it
// counts up once everything before has completed.
constexpr unsigned own_semaphore(isa::Engine engine) {
    return static_cast<unsigned>(engine);
}
constexpr unsigned transfer_semaphore(isa::Engine engine) {
    return 8 + static_cast<unsigned>(engine);
}
constexpr unsigned fence_semaphore(isa::Engine engine) {
    return 16 + static_cast<unsigned>(engine);
}

// All engines count these up, and all wait for them.
constexpr unsigned FirstShared = 24, SharedSemaphores = 8;

}  // namespace trnsim::random_programs
