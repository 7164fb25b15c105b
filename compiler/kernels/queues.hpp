// The DMA queues of a kernel.
#pragma once

#include "compiler/builder/kernel_builder.hpp"

namespace trnsim::kernels {

// One queue for each direction: a DMA engine works in order whatever the ring, so more would add semaphores
// to wait for, not bandwidth. Loads are triggered by Sync, stores by another engine that has nothing to
// compute, so that neither waits behind the other's waits or behind work.
struct Queues {
    explicit Queues(builder::KernelBuilder& builder, isa::Engine storing = isa::Engine::Scalar)
        : loads(builder.queue("qSyncLoad", isa::Engine::Sync)),
          stores(builder.queue(storing == isa::Engine::Scalar ? "qScalarStore" : "qGpSimdStore", storing)) {}

    builder::Queue loads, stores;
};

}  // namespace trnsim::kernels
