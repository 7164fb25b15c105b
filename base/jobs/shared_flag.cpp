#include "base/jobs/shared_flag.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <new>
#include <system_error>

namespace trnsim::jobs {

SharedFlag::SharedFlag() {
    static_assert(std::atomic<bool>::is_always_lock_free);
    void* memory =
        ::mmap(nullptr, sizeof(*raised_), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
    raised_ = new (memory) std::atomic<bool>(false);
}

SharedFlag::~SharedFlag() {
    ::munmap(raised_, sizeof(*raised_));
}

}  // namespace trnsim::jobs
