#include "base/files/target.hpp"

#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace trnsim::files {
namespace {

namespace fs = std::filesystem;

constexpr int MaxLinks = 40;  // links in a row, the limit of the kernel

const char* kind_of(mode_t mode) {
    switch (mode & S_IFMT) {
        case S_IFDIR:
            return "a directory";
        case S_IFCHR:
        case S_IFBLK:
            return "a device";
        case S_IFIFO:
            return "a FIFO";
        case S_IFSOCK:
            return "a socket";
        default:
            return "not a regular file";
    }
}

// Links in /proc lead to the open files of a process, whatever their text says.
bool is_in_proc(const fs::path& path) {
    struct statfs system {};
    const fs::path folder = path.has_parent_path() ? path.parent_path() : ".";
    return ::statfs(folder.c_str(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

}  // namespace

Error Target::error(const std::string& why) const {
    return Error(fmt::format("{}: cannot write: {}", shown, why));
}

Target find_target(const fs::path& given) {
    if (given.empty()) throw Error("'': expected the name of a file");
    Target target{given, given.string(), std::nullopt};
    struct stat status {};
    for (int links = 0;; ++links) {
        if (::lstat(target.path.c_str(), &status) != 0) {
            if (errno != ENOENT) throw target.error(std::strerror(errno));
            if (!target.path.has_filename()) throw target.error("is a directory");
            return target;
        }
        if (!S_ISLNK(status.st_mode)) break;
        std::error_code error;
        const fs::path link = fs::read_symlink(target.path, error);
        if (error) throw target.error(error.message());
        if (links == MaxLinks) throw target.error("too many links");
        if (is_in_proc(target.path)) throw target.error("is an open stream, expected a regular file");
        target.path = target.path.parent_path() / link;
        target.shown = fmt::format("{} (a link to {})", given.string(), target.path.string());
    }
    if (!S_ISREG(status.st_mode))
        throw target.error(fmt::format("is {}, expected a regular file", kind_of(status.st_mode)));
    if (::access(target.path.c_str(), W_OK) != 0) throw target.error(std::strerror(errno));
    target.mode = status.st_mode & 0777;
    return target;
}

}  // namespace trnsim::files
