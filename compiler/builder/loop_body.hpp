// The calls of a loop while it is written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/builder/event.hpp"
#include "compiler/builder/loop_access.hpp"
#include "compiler/builder/resources.hpp"
#include "isa/instruction.hpp"

namespace trnsim::builder {

struct LoopCall {
    isa::Engine engine = isa::Engine::Sync;  // whose stream has the instruction
    isa::Instruction instruction;
    // It works in the engine behind the sequencer; others run in the sequencer itself.
    bool data_path = true;
    After after;
    std::vector<LoopAccess> accesses;
    std::uint32_t place = 0;     // neff::Sources
    std::optional<Queue> queue;  // of a trigger
    std::uint32_t transfer = 0;  // of the package
};

struct LoopBody {
    std::uint32_t number = 0;  // counted from 1
    std::uint32_t iterations = 1;
    std::uint32_t place = 0;                                  // neff::Sources
    std::string name;                                         // of the place: "kernel.cpp:31"
    std::optional<std::uint32_t> transfers_loop;              // in Package::loops
    isa::ActivationSet table_set = isa::ActivationSet::None;  // loaded before it
    std::vector<LoopCall> calls;
    std::vector<std::size_t> order;  // of the calls

    // Adds a call at the end.
    Event add(LoopCall call);

    // Activation tables. A set that every iteration would load again, and no other, is loaded before the loop:
    // returns it. A loop that begins with the set from before it and goes on with another loads the
    // first one again.
    std::optional<LoopCall> settle_tables();

    // Throws Error when a matmul would use the stationary operand of the iteration before.
    void check_stationary() const;
};

}  // namespace trnsim::builder
