#include "model/fst/write_failure.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace {

std::atomic<int> failure = 0;  // errno of the first failure

void note(int error) {
    int none = 0;
    failure.compare_exchange_strong(none, error != 0 ? error : EIO);
}

}  // namespace

// The linker's names: --wrap=fwrite makes fwrite __wrap_fwrite, and __real_fwrite fwrite. A stream remembers
// failures of the functions that are not wrapped here.
// NOLINTBEGIN(readability-identifier-naming)
extern "C" {

std::size_t __real_fwrite(const void* data, std::size_t size, std::size_t count, std::FILE* stream);
int __real_fflush(std::FILE* stream);
int __real_fclose(std::FILE* stream);
void* __real_mmap(void* address, std::size_t size, int protection, int flags, int file, off_t offset);

std::size_t __wrap_fwrite(const void* data, std::size_t size, std::size_t count, std::FILE* stream) {
    const std::size_t written = __real_fwrite(data, size, count, stream);
    if (written != count && size != 0) note(errno);
    return written;
}

int __wrap_fflush(std::FILE* stream) {
    const int result = __real_fflush(stream);
    if (result != 0) note(errno);
    return result;
}

int __wrap_fclose(std::FILE* stream) {
    const bool failed = std::ferror(stream) != 0;
    const int result = __real_fclose(stream);
    if (failed || result != 0) note(errno);
    return result;
}

// A program that writes to a mapped part of a file for which there is no room would be killed. The writer
// gets memory instead: the file is lost anyway.
void* __wrap_mmap(void* address, std::size_t size, int protection, int flags, int file, off_t offset) {
    if (file >= 0 && (flags & MAP_SHARED) != 0) {
        struct stat status {};
        const bool is_short =
            ::fstat(file, &status) != 0 || status.st_size < offset + static_cast<off_t>(size);
        const int error = is_short ? EIO : ::posix_fallocate(file, offset, static_cast<off_t>(size));
        if (error != 0) {
            note(error);
            flags = MAP_PRIVATE | MAP_ANONYMOUS;
            file = -1;
            offset = 0;
        }
    }
    return __real_mmap(address, size, protection, flags, file, offset);
}
}
// NOLINTEND(readability-identifier-naming)

namespace trnsim::tlm {

void forget_write_failure() {
    failure = 0;
}

bool has_write_failed() {
    return failure.load(std::memory_order_relaxed) != 0;
}

std::string write_failure() {
    return has_write_failed() ? std::strerror(failure) : "";
}

}  // namespace trnsim::tlm
