#include "testbench/kernels/dma_streams.hpp"

#include <fmt/format.h>

#include "testbench/builder/error.hpp"

namespace trnsim::kernels {
namespace {

// Queues of each direction: two where the target has rings for both directions.
unsigned queues_each_way(const neff::Target& target) {
    if (target.dma_rings < 2) {
        throw builder::Error(fmt::format("kernels need 2 DMA rings, the target has {}", target.dma_rings));
    }
    return target.dma_rings >= 4 ? 2 : 1;
}

}  // namespace

DmaStreams::DmaStreams(builder::KernelBuilder& builder, const std::string& name, isa::Engine owner,
                       unsigned queues)
    : builder_(&builder) {
    for (unsigned i = 0; i < queues; ++i)
        queues_.push_back(builder.queue(fmt::format("{}{}", name, i), owner));
}

builder::Event DmaStreams::load(const builder::Tile& to, const builder::TensorView& from,
                                const builder::After& after) {
    return builder_->load(next(), to, from, after);
}

builder::Event DmaStreams::store(const builder::TensorView& to, const builder::Tile& from,
                                 const builder::After& after) {
    return builder_->store(next(), to, from, after);
}

std::uint32_t DmaStreams::next() {
    const std::uint32_t queue = queues_[turn_];
    turn_ = (turn_ + 1) % queues_.size();
    return queue;
}

KernelStreams::KernelStreams(builder::KernelBuilder& builder)
    : loads(builder, "qSyncLoad", isa::Engine::Sync, queues_each_way(builder.target())),
      stores(builder, "qScalarStore", isa::Engine::Scalar, queues_each_way(builder.target())) {}

}  // namespace trnsim::kernels
