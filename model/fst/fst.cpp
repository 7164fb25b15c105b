// GTKWave's reader and writer of FST files, in the version that comes with Verilator. Failures of the
// writer's system calls are noted, as in the cores: model/fst/write_failure.hpp.
#include <sys/mman.h>
#include <verilatedos.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

// NOLINTBEGIN(readability-identifier-naming)
extern "C" {
std::size_t __wrap_fwrite(const void* data, std::size_t size, std::size_t count, std::FILE* stream);
int __wrap_fflush(std::FILE* stream);
int __wrap_fclose(std::FILE* stream);
void* __wrap_mmap(void* address, std::size_t size, int protection, int flags, int file, off_t offset);

std::size_t __real_fwrite(const void* data, std::size_t size, std::size_t count, std::FILE* stream) {
    return std::fwrite(data, size, count, stream);
}
int __real_fflush(std::FILE* stream) {
    return std::fflush(stream);
}
int __real_fclose(std::FILE* stream) {
    return std::fclose(stream);
}
void* __real_mmap(void* address, std::size_t size, int protection, int flags, int file, off_t offset) {
    return ::mmap(address, size, protection, flags, file, offset);
}
}
#define fwrite __wrap_fwrite
#define fflush __wrap_fflush
#define fclose __wrap_fclose
#define mmap __wrap_mmap
// NOLINTEND(readability-identifier-naming)

#define FST_CONFIG_INCLUDE "fst_config.h"
#include "gtkwave/fastlz.c"  // NOLINT(bugprone-suspicious-include)
#include "gtkwave/fstapi.c"  // NOLINT(bugprone-suspicious-include)
#include "gtkwave/lz4.c"     // NOLINT(bugprone-suspicious-include)
