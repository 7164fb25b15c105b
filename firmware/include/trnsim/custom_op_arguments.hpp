// Arguments of a custom operator, as they are laid out in the mailbox.
#pragma once

#include "trnsim/microcode.hpp"

namespace trnsim::firmware {

inline constexpr uint32_t MostTensors = 8, MostScalars = 16, MostAxes = 4;

// A tensor in SBUF. Axis 0 is the partitions from `partition` on. An element of the other axes lies in its
// partition at byte `address` + sum of index[d] strides[d]. strides[0] is not used.
struct TensorDescriptor {
    uint32_t partition;
    uint32_t address;
    Dtype dtype;
    uint32_t axes;
    uint32_t shape[MostAxes];
    int32_t strides[MostAxes];
};

struct CustomOpArguments {
    uint32_t tensors;  // the last one is the destination
    uint32_t scalars;
    uint32_t scalar[MostScalars];  // bits of an int32 or fp32, as the operator takes it
    TensorDescriptor tensor[MostTensors];
};

static_assert(sizeof(CustomOpArguments) <= 4 * ArgumentWords);

}  // namespace trnsim::firmware
