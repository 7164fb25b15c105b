// A new directory among the system's temporary ones, removed with everything in it.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <string>
#include <system_error>

#include "base/files/error.hpp"

namespace trnsim::files {

// Returns the system's folder, or $TMPDIR. Throws Error when that is no folder.
inline std::filesystem::path folder_of_temporaries() {
    std::error_code failure;
    std::filesystem::path folder = std::filesystem::temp_directory_path(failure);
    if (failure) throw Error("TMPDIR: is no folder: " + failure.message());
    return folder;
}

class TemporaryDirectory {
  public:
    // Throws Error.
    TemporaryDirectory() {
        std::string name = (folder_of_temporaries() / "trnsim.XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr)
            throw Error(name + ": cannot be made: " + std::strerror(errno));
        path_ = name;
    }
    ~TemporaryDirectory() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
    std::size_t entries() const {
        const std::filesystem::directory_iterator all(path_);
        return static_cast<std::size_t>(std::distance(begin(all), end(all)));
    }

  private:
    std::filesystem::path path_;
};

}  // namespace trnsim::files
