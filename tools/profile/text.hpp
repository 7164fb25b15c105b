// A profile as tables to read.
#pragma once

#include <string>

#include "tools/profile/profile.hpp"

namespace trnsim::profile {

// Returns engines by class of cycles, opcodes, DMA queues, roofline, memories, advice; several lines.
std::string to_text(const Profile& profile);

}  // namespace trnsim::profile
