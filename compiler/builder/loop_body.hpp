// The calls of a loop while it is being written.
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
    isa::Engine engine = isa::Engine::Sync;  // the engine that has it in its stream
    isa::Instruction instruction;
    // True if it works in the data path of the engine; other instructions run in the sequencer itself.
    bool data_path = true;
    After after;
    std::vector<LoopAccess> accesses;
    std::uint32_t place = 0;     // neff::Sources
    std::optional<Queue> queue;  // queue of a trigger
    std::uint32_t transfer = 0;  // index in the package
};

struct LoopBody {
    std::uint32_t number = 0;  // counted from 1
    std::uint32_t iterations = 1;
    std::uint32_t place = 0;                                  // neff::Sources
    std::string name;                                         // name of the place: "kernel.cpp:31"
    std::optional<std::uint32_t> transfers_loop;              // index in Package::loops
    isa::ActivationSet table_set = isa::ActivationSet::None;  // set loaded before the loop
    std::vector<LoopCall> calls;
    std::vector<std::size_t> order;  // order of the calls

    // Adds a call at the end.
    Event add(LoopCall call);

    // Settles the loads of activation tables. If every iteration would load the same set again and no other,
    // it is loaded before the loop: returns that load. A loop that begins with the set from before it and
    // goes on with another loads the first one again.
    std::optional<LoopCall> settle_tables();

    // Throws Error when a matmul would use the stationary operand of the previous iteration.
    void check_stationary() const;
};

}  // namespace trnsim::builder
