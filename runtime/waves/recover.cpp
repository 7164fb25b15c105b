#include "runtime/waves/recover.hpp"

#include <algorithm>
#include <exception>
#include <string>
#include <vector>

#include "base/files/files.hpp"
#include "runtime/waves/add_signals.hpp"
#include "runtime/waves/recording.hpp"

namespace trnsim::waves {
namespace {

namespace fs = std::filesystem;

constexpr const char* Hierarchy = ".hier";  // the names of the signals, until the writer completes its file

// Returns the folders that hold unfinished recordings of this name, the newest first.
std::vector<fs::path> leftovers(const fs::path& recording) {
    std::vector<fs::path> folders;
    std::error_code ignored;
    for (const fs::directory_entry& entry :
         fs::directory_iterator(fs::absolute(recording).parent_path(), ignored)) {
        if (files::is_temporary_of(entry.path(), recording) &&
            fs::exists(entry.path() / recording.filename(), ignored))
            folders.push_back(entry.path());
    }
    std::ranges::sort(folders, std::ranges::greater{}, [&](const fs::path& folder) {
        std::error_code none;
        return fs::last_write_time(folder / recording.filename(), none);
    });
    return folders;
}

}  // namespace

std::optional<Recovered> recover(const fs::path& recording) {
    for (const fs::path& folder : leftovers(recording)) {
        files::ForeignFile copy(recording);
        const fs::path left = folder / recording.filename();
        std::error_code missing;
        for (const char* ending : {"", Hierarchy})
            fs::copy_file(left.string() + ending, copy.temporary() + ending, missing);
        std::string failure;
        try {
            failure = add_signals(copy.temporary(), {}, 0);  // writes it again, whole
        } catch (const std::runtime_error&) {
            continue;  // nothing had come to the disk
        }
        copy.commit(failure);
        return Recovered{folder, read_recording(recording).last};
    }
    return std::nullopt;
}

}  // namespace trnsim::waves
