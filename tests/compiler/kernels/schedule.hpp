// Computes how long a kernel takes on an idealised core: the published costs of instructions and transfers,
// without other effects.
#pragma once

#include "compiler/neff/package.hpp"

namespace trnsim::test {

struct Schedule {
    double total = 0;         // Tensor cycles from the start to the last halt
    double tensor_first = 0;  // when the first multiply_moving starts
    double tensor_last = 0;   // when the last multiply_moving ends
    double tensor_busy = 0;   // cycles in which the array multiplies

    double utilisation() const { return tensor_busy / (tensor_last - tensor_first); }
};

// Costs at trn1's clocks: multiply_moving takes max(64, N) Tensor cycles (four times that for fp32) after 190
// cycles of issue; Vector takes max(64, N) cycles of its clock after 60; an engine holds 16 instructions that
// have not started; control instructions wait until it has drained. A DMA transfer starts 1.3 us after its
// trigger, which takes 0.1 us; the engines move 17 GB/s each, shared by the active queues.
Schedule schedule_of(const neff::Package& package);

}  // namespace trnsim::test
