#include "runtime/waves/recover.hpp"

#include <algorithm>
#include <exception>
#include <string>
#include <vector>

#include "base/files/files.hpp"
#include "base/time/time.hpp"
#include "runtime/waves/add_signals.hpp"
#include "runtime/waves/recording.hpp"
#include "runtime/waves/run.hpp"

namespace trnsim::waves {
namespace {

namespace fs = std::filesystem;

constexpr const char* Hierarchy = ".hier";  // the names of the signals, until the writer completes its file

// Returns when a folder, or the recording in it, was written last.
fs::file_time_type written(const fs::path& folder, const fs::path& recording) {
    std::error_code none;
    const auto time = fs::last_write_time(folder / recording.filename(), none);
    return none ? fs::last_write_time(folder, none) : time;
}

// Returns the folders of unfinished recordings of this name, the newest first.
std::vector<fs::path> leftovers(const fs::path& recording) {
    std::vector<fs::path> folders;
    std::error_code ignored;
    for (const fs::directory_entry& entry :
         fs::directory_iterator(fs::absolute(recording).parent_path(), ignored)) {
        if (files::is_temporary_of(entry.path(), recording) && entry.is_directory(ignored))
            folders.push_back(entry.path());
    }
    std::ranges::sort(folders, std::ranges::greater{},
                      [&](const fs::path& folder) { return written(folder, recording); });
    return folders;
}

}  // namespace

std::optional<Recovered> recover(const fs::path& recording) {
    for (const fs::path& folder : leftovers(recording)) {
        files::ForeignFile copy(recording);
        const fs::path left = folder / recording.filename();
        std::error_code missing;
        if (!fs::exists(left, missing)) continue;
        for (const char* ending : {"", Hierarchy})
            fs::copy_file(left.string() + ending, copy.temporary() + ending, missing);
        std::string failure;
        try {
            failure = add_signals(copy.temporary(), {}, 0);  // writes it again, whole
        } catch (const std::runtime_error&) {
            continue;  // nothing had come to the disk
        }
        copy.commit(failure);
        const Recording made = read_recording(recording);
        recover_run(recording, left, made.first * FsPerPs, made.last * FsPerPs);
        return Recovered{folder, made.last};
    }
    return std::nullopt;
}

std::optional<fs::path> newer_leftover(const fs::path& recording) {
    const std::vector<fs::path> folders = leftovers(recording);
    std::error_code missing;
    const auto time = fs::last_write_time(recording, missing);
    if (folders.empty() || (!missing && written(folders.front(), recording) <= time)) return std::nullopt;
    return folders.front();
}

}  // namespace trnsim::waves
