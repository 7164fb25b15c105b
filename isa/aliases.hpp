// Names that users of the Neuron tools know, for those that mean the same here.
#pragma once

#include <string_view>

namespace trnsim::isa {

// The name here: "bf16" for "bfloat16", "tensor" for "PE", "multiply_moving" for "nc_matmul"; any other name
// as it is. To be applied where people write names, not to what programs write.
std::string_view canonical_dtype(std::string_view name);
std::string_view canonical_engine(std::string_view name);
std::string_view canonical_instruction(std::string_view name);

}  // namespace trnsim::isa
