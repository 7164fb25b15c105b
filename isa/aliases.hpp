// Names of the Neuron tools that mean the same as a name here.
#pragma once

#include <string_view>

namespace trnsim::isa {

// Returns the name here: "bf16" for "bfloat16", "tensor" for "PE", "multiply_moving" for "nc_matmul"; any
// other name unchanged. Apply it to names that people write, not to names that programs write.
std::string_view canonical_dtype(std::string_view name);
std::string_view canonical_engine(std::string_view name);
std::string_view canonical_instruction(std::string_view name);

}  // namespace trnsim::isa
