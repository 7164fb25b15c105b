// Where an output goes.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

#include "base/files/error.hpp"

namespace trnsim::files {

struct Target {
    std::filesystem::path path;  // of the regular file that is there or will be; no link
    std::string shown;           // for messages: as given, and where a link leads
    std::optional<mode_t> mode;  // permissions of the file that is there

    // "FILE: cannot write: WHY"
    Error error(const std::string& why) const;
};

// Follows symbolic links, also to a file that is not there yet. Throws Error for what is there and is no
// regular file (a device, a FIFO, a socket, a folder), for the streams under /proc that /dev/stdout and its
// like lead to, for a file without permission to write, and for an empty name.
Target find_target(const std::filesystem::path& path);

}  // namespace trnsim::files
