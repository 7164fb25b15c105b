// The path from the bus to the memories of three GpSimd cores. The test plays the two ports, the engine, and
// the memories, which answer three edges of the engine later.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <random>
#include <vector>

#include "Vgpsimd_access_tb.h"
#include "isa/isa_tables.hpp"
#include "tests/common/model.hpp"
#include "tests/common/random.hpp"

namespace trnsim::test {

constexpr std::uint32_t Cores = 3, Ports = 2, BusBytes = BUS_BITS / 8, MemoryBytes = 64, TcmBytes = 0x10000;

using BusBeat = std::array<std::uint8_t, BusBytes>;
using MemoryBeat = std::array<std::uint8_t, MemoryBytes>;

// Addresses in the core window
constexpr std::uint32_t Window = isa::window::GpsimdTcmBase;
constexpr std::uint32_t address_of(std::uint32_t core, std::uint32_t byte) {
    return Window + core * TcmBytes + byte;
}

// Core cycles from one edge to the next, and the percentage of accesses that the memories take at once.
struct Timing {
    unsigned bus = 2, engine = 2, taken_percent = 100;
};

// One direction of a port, reads or writes: it requests until it is served.
struct Requester {
    bool asks = false;
    std::uint32_t address = 0;
    BusBeat data{};
    std::array<std::uint8_t, BusBytes / 8> strobe{};
    std::optional<BusBeat> seen;  // data of the last read
};

// An access of the engine itself to a set of cores.
struct OwnAccess {
    bool active = false, write = false;
    std::uint32_t cores = 0, beat = 0;
    MemoryBeat data{};
    std::uint64_t strobe = 0;
};

class AccessBench {
  public:
    explicit AccessBench(Timing timing = {});

    std::array<Requester, Ports> reads, writes;
    OwnAccess own;
    bool hold = false;
    // Called after each edge of the engine, with the cores that took the engine's own access before it, and
    // those that answered one.
    std::function<void(std::uint32_t taken, std::uint32_t answered)> engine_edge;

    void reset();  // ends all requests
    void ask_read(std::uint32_t port, std::uint32_t address);
    void ask_write(std::uint32_t port, std::uint32_t address);  // writes random bytes

    void bus_step();  // runs until after the next edge of the bus
    // Runs until all requests are done; returns the bus cycles.
    std::uint64_t finish();

    // Returns the bytes of an answer in this cycle.
    const MemoryBeat& answer(std::uint32_t core) const { return answer_[core]; }
    // The content of each memory, and the expected content.
    std::vector<std::uint8_t>& memory(std::uint32_t core) { return memory_[core]; }
    std::vector<std::uint8_t>& expected(std::uint32_t core) { return expected_[core]; }
    bool same() const { return memory_ == expected_; }

    std::uint64_t bus_cycles = 0, engine_edges = 0, window_edges = 0;
    std::vector<std::uint32_t> order;  // writers 0 and 1, readers 2 and 3, in the order of service
    Vgpsimd_access_tb& model() { return model_; }
    std::mt19937_64& random() { return random_; }

  private:
    using Answers = std::array<std::array<std::optional<MemoryBeat>, 3>, Cores>;

    void step();
    void drive();
    void sample_engine();
    void sample_bus();
    void has_written(std::uint32_t port);
    void has_read(std::uint32_t port);
    void check_kept_data();

    Model<Vgpsimd_access_tb> model_;
    std::mt19937_64 random_ = generator();
    Timing timing_;
    std::array<std::vector<std::uint8_t>, Cores> memory_, expected_;
    Answers answers_{}, next_{};
    std::array<MemoryBeat, Cores> answer_{};
    std::uint64_t cycle_ = 0;
    bool bus_edge_ = false, fire_ = true;
};

}  // namespace trnsim::test
