// The DMA queues of a kernel.
#pragma once

#include "compiler/builder/kernel_builder.hpp"

namespace trnsim::kernels {

// One queue for each direction: a DMA engine works in order across all rings, so more queues would add
// semaphores to wait for, not bandwidth. Sync triggers loads, another engine that has nothing to compute
// triggers stores, so that neither waits for the other's waits or for work.
struct Queues {
    explicit Queues(builder::KernelBuilder& builder, isa::Engine storing = isa::Engine::Scalar)
        : loads(builder.queue("qSyncLoad", isa::Engine::Sync)),
          stores(builder.queue(storing == isa::Engine::Scalar ? "qScalarStore" : "qGpSimdStore", storing)) {}

    builder::Queue loads, stores;
};

}  // namespace trnsim::kernels
