// A file or folder of this process beside a file that is to appear: its name cannot be guessed and was free.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>

#include "base/files/target.hpp"

namespace trnsim::files {

class Temporary {
  public:
    enum class Kind : std::uint8_t { File, Folder };

    // FILE.SIXTEENDIGITS.partial. Throws Error.
    Temporary(const Target& target, Kind kind);
    // Removes it with what is in it.
    ~Temporary();
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;

    const std::filesystem::path& path() const { return path_; }

    // Gives `file`, which is path() or in it, the target's name, and the permissions of what it replaces.
    // Throws Error.
    void rename(const std::filesystem::path& file, const Target& target) const;

  private:
    friend void remove_temporaries() noexcept;
    void remove() const noexcept;

    std::filesystem::path path_;
    Kind kind_;
    pid_t owner_;
    Temporary *next_ = nullptr, *previous_ = nullptr;  // of all that there are
};

// Removes the temporaries of this process, for one that is about to end. May be called from a signal handler.
void remove_temporaries() noexcept;

// Removes temporaries in a folder that processes which were killed left behind. No writer may be at work
// there.
void remove_leftovers(const std::filesystem::path& folder);

}  // namespace trnsim::files
