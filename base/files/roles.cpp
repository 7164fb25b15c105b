#include "base/files/roles.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/files/target.hpp"

namespace trnsim::files {

namespace fs = std::filesystem;

bool Roles::File::is(const File& other) const {
    if (exists != other.exists) return false;
    return exists ? device == other.device && inode == other.inode : path == other.path;
}

Roles::File Roles::look_at(const std::string& what, const fs::path& path) {
    File file{.what = what};
    struct stat status {};
    file.exists = ::stat(path.c_str(), &status) == 0;
    file.device = status.st_dev;
    file.inode = status.st_ino;
    if (file.exists) return file;
    const fs::path target = find_target(path).path;
    std::error_code missing;
    const fs::path folder = fs::canonical(target.has_parent_path() ? target.parent_path() : ".", missing);
    file.path = missing ? fs::absolute(target) : folder / target.filename();
    return file;
}

void Roles::add_input(const std::string& what, const fs::path& path) {
    // The reader of a missing file reports it.
    std::error_code unreachable;
    if (fs::exists(path, unreachable)) files_.push_back(look_at(what, path));
}

void Roles::add_inputs(const std::string& what, const std::set<fs::path>& paths) {
    for (const fs::path& path : paths) add_input(what, path);
}

void Roles::add_output(const std::string& what, const fs::path& path) {
    File file = look_at(what, path);
    for (const File& other : files_) {
        if (file.is(other))
            throw Error(fmt::format("{} {}: the same file as {}", what, path.string(), other.what));
    }
    files_.push_back(std::move(file));
}

}  // namespace trnsim::files
