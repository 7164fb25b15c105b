// A file or folder of this process beside the output file: its name cannot be guessed and was free.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>

#include "base/files/target.hpp"

namespace trnsim::files {

class Temporary {
  public:
    enum class Kind : std::uint8_t { File, Folder };

    // Makes FILE.SIXTEENDIGITS.partial. Throws Error.
    Temporary(const Target& target, Kind kind);
    // Removes it with its contents.
    ~Temporary();
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;

    const std::filesystem::path& path() const { return path_; }

    // Gives `file`, which is path() or lies in it, the name of the target and the permissions of the file
    // that it replaces. Throws Error.
    void rename(const std::filesystem::path& file, const Target& target) const;

  private:
    friend void remove_temporaries() noexcept;
    void remove() const noexcept;

    std::filesystem::path path_;
    Kind kind_;
    pid_t owner_;
    Temporary *next_ = nullptr, *previous_ = nullptr;  // the list of all temporaries
};

// Removes the temporaries of this process before it ends. May be called from a signal handler.
void remove_temporaries() noexcept;

// Returns whether a path is that of a temporary for this file, made by any process.
bool is_temporary_of(const std::filesystem::path& path, const std::filesystem::path& file);

// Removes the temporaries that killed processes left in a folder. No process may be writing there.
void remove_leftovers(const std::filesystem::path& folder);

}  // namespace trnsim::files
