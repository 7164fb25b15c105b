// Buffers that go to HBM for a while if they do not all fit.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "compiler/builder/kernel_builder.hpp"
#include "compiler/schedule/lives.hpp"
#include "compiler/schedule/memory.hpp"
#include "compiler/schedule/work.hpp"

namespace trnsim::schedule {

struct SpillQueues {
    builder::Queue loads, stores;
};

// A buffer that was spilled: the number of its stores to HBM, and of its returns to the chip by loads and by
// memsets.
struct Spill {
    std::string name;         // name of the buffer, may be empty
    std::uint32_t place = 0;  // place of the buffer (neff::Sources)
    target::Memory memory = target::Memory::Sbuf;
    std::uint32_t partitions = 0;
    std::uint64_t bytes = 0;  // bytes of each partition
    std::uint32_t stores = 0, loads = 0, memsets = 0;
};

// Tensors in HBM for spilled buffers. Attempts at one kernel use the same ones.
class SpillTensors {
  public:
    explicit SpillTensors(builder::KernelBuilder& kernel) : kernel_(kernel) {}

    // Returns a tensor for the bytes of a tile with one axis.
    builder::TensorView take(const builder::Tile& tile);
    void free_all();

  private:
    struct Shape {
        std::vector<builder::TensorView> tensors;
        std::size_t taken = 0;
    };
    builder::KernelBuilder& kernel_;
    std::map<std::tuple<std::uint32_t, std::uint32_t, isa::Dtype>, Shape>
        shapes_;  // by partitions, elements of each, and their type
    std::uint32_t count_ = 0;
};

// The steps, in the order of their author, with at most `limits` on the chip at once: if a step needs room,
// the buffers that are needed latest leave the chip. They come back before the step that needs them, as new
// buffers. One that loads have filled from memory that has not changed, or memsets, is filled again, others go
// to a tensor in HBM. Results in PSUM come back to SBUF if only Vector and Scalar use them. Steps in loops
// stay as they are; the buffers of a loop are on the chip all the time that it runs.
//
// Three kinds never leave: buffers with bytes that nothing has written yet, because these cannot be copied;
// PSUM to which a matmul is added later, because a matmul adds only to the result of a matmul; the author's
// own places. The function returns nothing if that is not enough.
struct Spilled {
    std::vector<builder::Step> steps;  // they are numbered
    std::vector<Spill> spills;
};
std::optional<Spilled> spill(builder::KernelBuilder& kernel, std::vector<builder::Step> steps,
                             const Lives& lives, const Limits& limits, const SpillQueues& queues,
                             const WorkEstimate& estimate, SpillTensors& tensors);

}  // namespace trnsim::schedule
