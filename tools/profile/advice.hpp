// Advises in plain words how to change a kernel.
#pragma once

#include <string>
#include <vector>

#include "tools/profile/profile.hpp"

namespace trnsim::profile {

// Returns one sentence for each advice: first the bound of the run, then other costs of time.
std::vector<std::string> advice(const Profile& profile);

}  // namespace trnsim::profile
