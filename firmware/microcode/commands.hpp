// The commands, in the order of Command. Each checks its arguments first; after that it writes nothing
// outside its result.
#pragma once

#include "trnsim/mailbox.hpp"

namespace trnsim::firmware {

Status memset_command(const void* arguments);
Status tensor_copy(const void* arguments);
Status tensor_tensor(const void* arguments);
Status tensor_scalar(const void* arguments);
Status iota(const void* arguments);
Status affine_select(const void* arguments);
Status local_gather(const void* arguments);
Status partition_reduce(const void* arguments);
Status partition_broadcast(const void* arguments);
Status sequence_bounds(const void* arguments);
Status sort(const void* arguments);
Status top_k(const void* arguments);

}  // namespace trnsim::firmware
