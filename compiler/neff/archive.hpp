// Tar archives in memory.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace trnsim::neff {

// Contents by path. It is a map, so that the order in the archive depends on the paths only.
using Members = std::map<std::string, std::vector<std::uint8_t>>;

// Returns a ustar archive with fixed owner, mode and time stamps: equal members give equal bytes. Throws
// Error.
std::vector<std::uint8_t> make_tar(const Members& members);

// Reads an archive. Throws Error for anything but an archive of regular files with different names.
Members read_tar(std::span<const std::uint8_t> tar);

}  // namespace trnsim::neff
