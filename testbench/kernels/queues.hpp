// The DMA queues of a kernel.
#pragma once

#include "testbench/builder/kernel_builder.hpp"

namespace trnsim::kernels {

// One queue for each direction: a DMA engine works in order whatever the ring, so more would add semaphores
// to wait for, not bandwidth. Loads are triggered by Sync, stores by Scalar, so that neither waits behind the
// other's waits.
struct Queues {
    explicit Queues(builder::KernelBuilder& builder)
        : loads(builder.queue("qSyncLoad", isa::Engine::Sync)),
          stores(builder.queue("qScalarStore", isa::Engine::Scalar)) {}

    std::uint32_t loads, stores;
};

}  // namespace trnsim::kernels
