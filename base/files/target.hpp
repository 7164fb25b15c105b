// The place of an output file.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

#include "base/files/error.hpp"

namespace trnsim::files {

struct Target {
    std::filesystem::path path;  // the regular file that exists or will be made; no link
    std::string shown;           // the name for messages: as given, and where a link leads
    std::optional<mode_t> mode;  // permissions of an existing file

    // "FILE: cannot write: WHY"
    Error error(const std::string& why) const;
};

// Follows symbolic links, also to a file that does not exist yet. Throws Error for an existing path that is
// no regular file (a device, a FIFO, a socket, a folder), for the streams under /proc to which /dev/stdout
// and the like lead, for a file without permission to write, and for an empty name.
Target find_target(const std::filesystem::path& path);

}  // namespace trnsim::files
