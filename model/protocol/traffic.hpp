// Counts of the accesses through a memory or an engine.
#pragma once

#include <cstdint>

namespace trnsim::tlm {

struct Traffic {
    std::uint64_t reads = 0, writes = 0;  // transactions
    std::uint64_t bytes_read = 0, bytes_written = 0;
};

}  // namespace trnsim::tlm
