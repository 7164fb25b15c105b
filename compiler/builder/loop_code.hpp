// The instructions of a loop.
//
// Semaphores count in every iteration anew. Calls of one engine that another one waits for add 1 each to a
// semaphore for the two; their waits are for 1, 2, ... of it, and the last of an iteration takes off what the
// iteration has added. A wait for the iteration before has a semaphore of its own, which begins with what an
// iteration adds. What is taken off has to be gone before the engine looks again, so the first and the last of these
// waits are those of an `event_semaphore`, which begins when everything before it is done, or of a trigger.
//
//     move r1 = iterations                    # when what was before the loop is done
//     register_alu S[n]+=m                    # where the first iteration waits for one before
//     ...
//     sub r1 = r1 - 1
//     branch ne r1 r0
//     event_semaphore wait S[n]>=m            # for transfers that a next iteration would have taken
//     register_alu                            # the end, for whoever comes after the loop
#pragma once

#include "compiler/builder/loop_order.hpp"
#include "compiler/builder/program.hpp"

namespace trnsim::builder {

// Appends the streams of a loop to the program. `before`: what each engine comes after, of what was before it.
// `dma_engines`: what each transfer adds. Sets the semaphores of the transfers and makes the loop known
// to the program: Program::outside.
void write_loop(const LoopBody& body, const LoopOrder& order,
                const std::array<After, neff::EngineCount>& before, Program& program, neff::Package& package);

}  // namespace trnsim::builder
