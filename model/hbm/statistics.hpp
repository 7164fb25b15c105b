// The counts of a stack with banks since it was built.
#pragma once

#include <cstdint>
#include <vector>

namespace trnsim::tlm {

struct DramCounts {                                       // counts of a channel
    std::uint64_t reads = 0, writes = 0;                  // bursts of 32 bytes
    std::uint64_t hits = 0, misses = 0, conflicts = 0;    // bursts: row open, bank closed, another row open
    std::uint64_t activates = 0, precharges = 0;          // precharges: commands and automatic ones
    std::uint64_t all_refreshes = 0, bank_refreshes = 0;  // commands
    std::uint64_t open_cycles = 0;                        // cycles with an open row, both channels

    std::uint64_t bursts() const { return reads + writes; }
};

DramCounts difference(const DramCounts& before, const DramCounts& after);
DramCounts sum(const std::vector<DramCounts>& counts);

// Latencies from the request to the response.
struct LatencyCounts {
    std::uint64_t count = 0;  // requests answered
    std::uint64_t total = 0;  // fs
    std::uint64_t most = 0;   // fs
};

struct DramStatistics {
    std::vector<DramCounts> channels;
    LatencyCounts reads, writes;
    std::uint64_t corrected = 0,
                  uncorrected = 0;  // words read with one wrong bit and written back; with more
};

// Returns the difference of all but the longest latencies, which are those of `after`.
DramStatistics difference(const DramStatistics& before, const DramStatistics& after);

}  // namespace trnsim::tlm
