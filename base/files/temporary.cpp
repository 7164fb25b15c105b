#include "base/files/temporary.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <regex>
#include <string>
#include <system_error>
#include <vector>

namespace trnsim::files {
namespace {

namespace fs = std::filesystem;

constexpr const char* Ending = ".partial";
constexpr std::size_t MostOfName = 200;  // bytes of the file's name; the system takes 255 in all
constexpr int Attempts = 100;

// The first of the list. A signal handler finds the list consistent between any two instructions of its
// thread, which is the only one that makes temporaries.
std::atomic<Temporary*> first = nullptr;

std::string beginning_of_name(const fs::path& target) {
    return target.filename().string().substr(0, MostOfName) + ".";
}

fs::path random_name(const fs::path& target) {
    std::uint64_t bits = 0;
    if (::getrandom(&bits, sizeof bits, 0) != sizeof bits)
        throw std::system_error(errno, std::generic_category(), "getrandom");
    return target.parent_path() / fmt::format("{}{:016x}{}", beginning_of_name(target), bits, Ending);
}

bool is_temporary(const std::string& name) {
    static const std::regex form(R"(.+\.[0-9a-f]{16}\.partial)");
    return std::regex_match(name, form);
}

// Returns true if it was made; else errno has the reason.
bool make(const fs::path& path, Temporary::Kind kind) {
    if (kind == Temporary::Kind::Folder) return ::mkdir(path.c_str(), S_IRWXU) == 0;
    const int file = ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file >= 0) ::close(file);
    return file >= 0;
}

// A folder entry as the kernel writes it for SYS_getdents64. A signal handler may call no library function
// that reads folders.
struct Entry {
    std::uint64_t inode, offset;
    std::uint16_t length;
    std::uint8_t type;
    char name[1];
};

void remove_files_in(const char* folder) noexcept {
    const int directory = ::open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) return;
    alignas(Entry) std::array<char, 4096> buffer;
    for (long size = 0; (size = ::syscall(SYS_getdents64, directory, buffer.data(), buffer.size())) > 0;) {
        for (long at = 0; at < size;) {
            const auto* entry = reinterpret_cast<const Entry*>(buffer.data() + at);
            ::unlinkat(directory, entry->name, 0);  // this removes neither . nor ..
            at += entry->length;
        }
    }
    ::close(directory);
}

}  // namespace

Temporary::Temporary(const Target& target, Kind kind) : kind_(kind), owner_(::getpid()) {
    next_ = first;
    if (next_ != nullptr) next_->previous_ = this;
    for (int attempt = 0;; ++attempt) {
        path_ = random_name(target.path);
        // It is listed before it exists, so that a signal in between cannot miss it.
        first = this;
        if (make(path_, kind)) return;
        const int error = errno;
        first = next_;
        if (error == EEXIST && attempt < Attempts) continue;
        if (next_ != nullptr) next_->previous_ = nullptr;
        throw target.error(std::strerror(error));
    }
}

Temporary::~Temporary() {
    remove();
    if (next_ != nullptr) next_->previous_ = previous_;
    if (previous_ != nullptr) {
        previous_->next_ = next_;
    } else {
        first = next_;
    }
}

void Temporary::remove() const noexcept {
    if (owner_ != ::getpid()) return;  // it belongs to the parent process
    if (kind_ == Kind::File) {
        ::unlink(path_.c_str());
    } else {
        remove_files_in(path_.c_str());
        ::rmdir(path_.c_str());
    }
}

void Temporary::rename(const fs::path& file, const Target& target) const {
    if (target.mode && ::chmod(file.c_str(), *target.mode) != 0) throw target.error(std::strerror(errno));
    if (::rename(file.c_str(), target.path.c_str()) != 0) throw target.error(std::strerror(errno));
}

void remove_temporaries() noexcept {
    for (const Temporary* one = first; one != nullptr; one = one->next_) one->remove();
}

bool is_temporary_of(const fs::path& path, const fs::path& file) {
    const std::string name = path.filename().string(), beginning = beginning_of_name(file);
    return is_temporary(name) && name.starts_with(beginning) &&
           name.find('.', beginning.size()) == name.size() - std::strlen(Ending);
}

void remove_leftovers(const fs::path& folder) {
    std::error_code ignored;
    std::vector<fs::path> found;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
        if (is_temporary(entry.path().filename().string())) found.push_back(entry.path());
    for (const fs::path& path : found) fs::remove_all(path, ignored);
}

}  // namespace trnsim::files
