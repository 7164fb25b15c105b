// Buffers that go to HBM for a while if they do not all fit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/builder/kernel_builder.hpp"
#include "compiler/schedule/lives.hpp"
#include "compiler/schedule/memory.hpp"

namespace trnsim::schedule {

struct SpillQueues {
    builder::Queue loads, stores;
};

// A buffer that was spilled: the number of its stores to HBM and of its loads.
struct Spill {
    std::string name;         // name of the buffer, may be empty
    std::uint32_t place = 0;  // place of the buffer (neff::Sources)
    target::Memory memory = target::Memory::Sbuf;
    std::uint32_t partitions = 0;
    std::uint64_t bytes = 0;  // bytes of each partition
    std::uint32_t stores = 0, loads = 0;
};

// The steps, in the order of their author, with at most `limits` on the chip at once: if a step needs room,
// the buffer whose next use is latest goes to a tensor in HBM, and comes back before the step that needs it.
// A buffer that has come back is a new one. Steps in loops stay as they are; the buffers of a loop are on the
// chip all the time that it runs.
//
// Three kinds are never spilled: buffers with bytes that nothing has written yet, because these cannot be
// copied; PSUM to which a matmul is added later, because a matmul adds only to the result of a matmul; the
// author's own places. The function returns nothing if that is not enough.
struct Spilled {
    std::vector<builder::Step> steps;  // they are numbered
    std::vector<Spill> spills;
};
std::optional<Spilled> spill(builder::KernelBuilder& kernel, std::vector<builder::Step> steps,
                             const Lives& lives, const Limits& limits, const SpillQueues& queues);

}  // namespace trnsim::schedule
