// Recordings of programs that were killed: they are in folders FILE.SIXTEENDIGITS.partial beside the output
// file, complete up to the last flush.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace trnsim::waves {

struct Recovered {
    std::filesystem::path folder;  // what is left; it stays, as its program may still be at work
    std::uint64_t last = 0;        // ps, the last time in the recording
};

// Makes a recording from the newest that was left beside it and can be opened, with the files of its run in
// place of those of another one. Returns nothing if there is none. Throws files::Error.
std::optional<Recovered> recover(const std::filesystem::path& recording);

// Returns the newest folder that was left beside a recording, or that a run at work fills now, if it was written
// after the recording or there is no recording.
std::optional<std::filesystem::path> newer_leftover(const std::filesystem::path& recording);

}  // namespace trnsim::waves
