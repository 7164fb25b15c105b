// Buffers that go to HBM for a while, where not all of them fit.
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

// A buffer that was spilled: how often it went to HBM and came back.
struct Spill {
    std::string name;         // of the buffer, may be empty
    std::uint32_t place = 0;  // of the buffer (neff::Sources)
    target::Memory memory = target::Memory::Sbuf;
    std::uint32_t partitions = 0;
    std::uint64_t bytes = 0;  // of each partition
    std::uint32_t stores = 0, loads = 0;
};

// Steps, in the order of their author, of which no more than `limits` lies on the chip at once: where a step needs room, what
// is needed latest goes to a tensor in HBM, and comes back before the step that needs it. What has come back is a buffer
// of its own. Steps in loops stay as they are; what a loop uses is there all the time that it runs.
//
// Never spilled: what has bytes that nothing has written yet, as these cannot be copied; PSUM to which a matmul is added
// later, as the adder takes only what a matmul has written; the author's own places. None: that is not enough.
struct Spilled {
    std::vector<builder::Step> steps;  // numbered
    std::vector<Spill> spills;
};
std::optional<Spilled> spill(builder::KernelBuilder& kernel, std::vector<builder::Step> steps,
                             const Lives& lives, const Limits& limits, const SpillQueues& queues);

}  // namespace trnsim::schedule
