#include "base/places/places.hpp"

#include <algorithm>
#include <system_error>

namespace trnsim::places {
namespace {

namespace fs = std::filesystem;

// A local static: it exists before its first use in any order of initialisation.
std::vector<fs::path>& added() {
    static std::vector<fs::path> folders;
    return folders;
}

}  // namespace

bool add_program_folder(const fs::path& folder) {
    if (std::ranges::find(added(), folder) == added().end()) added().push_back(folder);
    return true;
}

std::vector<fs::path> program_folders() {
    std::error_code ignored;
    std::vector<fs::path> folders{fs::read_symlink("/proc/self/exe", ignored).parent_path()};
    folders.insert(folders.end(), added().begin(), added().end());
    return folders;
}

std::vector<fs::path> shipped_folders() {
    std::vector<fs::path> folders;
    for (fs::path above : program_folders()) {
        for (;; above = above.parent_path()) {
            folders.push_back(above);
            folders.push_back(above / "share/trnsim");
            if (!above.has_relative_path()) break;
        }
    }
    return folders;
}

}  // namespace trnsim::places
