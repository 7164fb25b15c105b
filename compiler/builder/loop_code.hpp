// The instructions of a loop.
//
// Semaphores count anew in every iteration. Calls of one engine that another engine waits for add 1 each to a
// semaphore of the pair; the waits are for 1, 2, ..., and the last wait of an iteration subtracts the sum of
// the iteration. A wait for the previous iteration has a semaphore of its own, which begins with the sum of
// an iteration. The subtraction has to be done before the engine looks again, so the first and the last of
// these waits are those of an `event_semaphore`, which begins when everything before it is done, or of a
// trigger.
//
//     move r1 = iterations                    # when everything before the loop is done
//     register_alu S[n]+=m                    # if the first iteration waits for a previous one
//     ...
//     sub r1 = r1 - 1
//     branch ne r1 r0
//     event_semaphore wait S[n]>=m            # for transfers that a next iteration would take
//     register_alu                            # the end, for instructions after the loop
#pragma once

#include "compiler/builder/loop_order.hpp"
#include "compiler/builder/program.hpp"

namespace trnsim::builder {

// Appends the streams of a loop to the program. `before`: the events before the loop that each engine comes
// after. Sets the semaphores of the transfers and makes the loop known to the program: Program::outside.
void write_loop(const LoopBody& body, const LoopOrder& order,
                const std::array<After, neff::EngineCount>& before, Program& program, neff::Package& package);

}  // namespace trnsim::builder
