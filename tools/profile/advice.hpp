// What to change about a kernel, in plain words.
#pragma once

#include <string>
#include <vector>

#include "tools/profile/profile.hpp"

namespace trnsim::profile {

// One sentence each: first what bounds the run, then what costs time.
std::vector<std::string> advice(const Profile& profile);

}  // namespace trnsim::profile
