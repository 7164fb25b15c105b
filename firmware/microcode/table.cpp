#include "firmware/microcode/commands.hpp"
#include "firmware/runtime/operation.hpp"
#include "trnsim/microcode.hpp"

namespace trnsim::firmware {

[[gnu::used, gnu::section(".operations.00")]] constinit extern const Operation commands[] = {
    {"memset", memset_command},
    {"tensor_copy", tensor_copy},
    {"tensor_tensor", tensor_tensor},
    {"tensor_scalar", tensor_scalar},
    {"iota", iota},
    {"affine_select", affine_select},
    {"local_gather", local_gather},
    {"partition_reduce", partition_reduce},
    {"partition_broadcast", partition_broadcast},
    {"sequence_bounds", sequence_bounds},
    {"sort", sort},
    {"top_k", top_k},
};
static_assert(sizeof(commands) / sizeof(commands[0]) == static_cast<unsigned>(Command::Count));

}  // namespace trnsim::firmware
