// DMA queues that share a direction.
#pragma once

#include <string>
#include <vector>

#include "testbench/builder/kernel_builder.hpp"

namespace trnsim::kernels {

// Transfers given to several queues in turn, so that the start and the end of one overlap with another.
// They complete roughly, not exactly, in order.
class DmaStreams {
  public:
    DmaStreams(builder::KernelBuilder& builder, const std::string& name, isa::Engine owner, unsigned queues);

    builder::Event load(const builder::Tile& to, const builder::TensorView& from,
                        const builder::After& after);
    builder::Event store(const builder::TensorView& to, const builder::Tile& from,
                         const builder::After& after);

  private:
    std::uint32_t next();

    builder::KernelBuilder* builder_;
    std::vector<std::uint32_t> queues_;
    std::size_t turn_ = 0;
};

// Loads are triggered by Sync, stores by Scalar, so that neither waits behind the other's waits.
struct KernelStreams {
    explicit KernelStreams(builder::KernelBuilder& builder);

    DmaStreams loads, stores;
};

}  // namespace trnsim::kernels
