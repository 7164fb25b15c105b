#include "testbench/functional/clocks.hpp"

#include <algorithm>

namespace trnsim::functional {

void join(Clock& clock, const Clock& other) {
    for (std::size_t i = 0; i < clock.size(); ++i) clock[i] = std::max(clock[i], other[i]);
}

RaceCheck::RaceCheck(std::uint64_t partition_bytes, std::size_t agents)
    : agents_(agents),
      writer_(partition_bytes),
      write_time_(partition_bytes),
      read_time_(partition_bytes * agents) {}

bool RaceCheck::wrote_unseen(std::uint64_t byte, std::size_t agent, const Clock& clock) const {
    if (writer_[byte] == 0 || writer_[byte] - 1u == agent) return false;
    return write_time_[byte] > clock[writer_[byte] - 1u];
}

int RaceCheck::read(std::uint64_t first, std::uint64_t end, std::size_t agent, std::uint32_t now,
                    const Clock& clock) {
    for (std::uint64_t byte = first; byte < end; ++byte) {
        if (wrote_unseen(byte, agent, clock)) return writer_[byte] - 1;
        read_time_[byte * agents_ + agent] = now;
    }
    return -1;
}

int RaceCheck::write(std::uint64_t first, std::uint64_t end, std::size_t agent, std::uint32_t now,
                     const Clock& clock) {
    for (std::uint64_t byte = first; byte < end; ++byte) {
        if (wrote_unseen(byte, agent, clock)) return writer_[byte] - 1;
        for (std::size_t other = 0; other < agents_; ++other) {
            if (other != agent && read_time_[byte * agents_ + other] > clock[other])
                return static_cast<int>(other);
        }
        writer_[byte] = static_cast<std::uint16_t>(agent + 1);
        write_time_[byte] = now;
    }
    return -1;
}

}  // namespace trnsim::functional
