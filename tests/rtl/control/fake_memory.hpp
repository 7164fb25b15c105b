// The system at the manager port of control: memory with programs to fetch, and registers that take 32-bit
// writes. Latency and readiness are random.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "isa/instruction.hpp"

namespace trnsim::test {

// Signals at the port in a cycle, seen from the memory.
struct MemoryIn {
    bool ar_valid, aw_valid, w_valid;
    unsigned ar_id, ar_len, aw_id, aw_size;
    std::uint64_t ar_addr, aw_addr;
    std::array<std::uint32_t, 4> w_data;
};
struct MemoryOut {
    bool ar_ready, r_valid, r_last, aw_ready, w_ready, b_valid;
    unsigned r_id, r_resp, b_id, b_resp;
    isa::Instruction r_data;
};

struct Write {
    unsigned id;
    std::uint64_t address;
    std::uint32_t data;
    bool operator==(const Write&) const = default;
};

// A write of 16 bytes.
struct Record {
    std::uint64_t address;
    std::array<std::uint32_t, 4> words;
};

class FakeMemory {
  public:
    // The memory is ready in `ready_percent` of the cycles; latencies are up to `latency` cycles.
    FakeMemory(std::uint64_t seed, unsigned ready_percent, unsigned latency);

    void load(std::uint64_t address, const std::vector<isa::Instruction>& program);
    // Fixes the latency from now on.
    void set_latency(unsigned cycles) { fixed_latency_ = cycles; }
    // Makes writes to this address get an error response.
    void fail_writes(std::uint64_t address) { failing_.insert(address); }

    // drive() returns the signals for this cycle; clock() makes the clock edge with the answers of the other
    // side.
    const MemoryOut& drive();
    void clock(const MemoryIn& in);

    const std::vector<Write>& writes() const { return writes_; }
    const std::vector<Record>& records() const { return records_; }
    // Returns the number of reads with a last beat that has not been delivered.
    std::size_t reads_in_flight() const;

  private:
    struct Burst {
        std::uint64_t address;
        unsigned beats;
        std::uint64_t ready;
    };
    struct Response {
        unsigned id;
        bool error;
        std::uint64_t ready;
    };

    bool chance(unsigned percent) { return random_() % 100 < percent; }
    unsigned latency() { return fixed_latency_.value_or(random_() % (latency_ + 1)); }

    std::mt19937_64 random_;
    unsigned ready_percent_, latency_;
    std::optional<unsigned> fixed_latency_;
    std::uint64_t now_ = 0;
    std::map<std::uint64_t, isa::Instruction> words_;
    std::set<std::uint64_t> failing_;
    std::array<std::deque<Burst>, 8> reads_;
    struct Address {
        unsigned id, size;
        std::uint64_t address;
    };
    std::deque<Address> addresses_;
    std::deque<std::array<std::uint32_t, 4>> data_;
    std::deque<Response> responses_;
    std::vector<Write> writes_;
    std::vector<Record> records_;
    MemoryOut out_{};
};

}  // namespace trnsim::test
