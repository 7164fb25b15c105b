// The vector instructions of the table.
#pragma once

#include <vector>

#include "arch/firmware/instruction_table.hpp"

namespace trnsim::firmware {

void add_vector_instructions(std::vector<InstructionRow>& rows);

}  // namespace trnsim::firmware
