// A verilated core with programs in its own memory.
#pragma once

#include <map>
#include <set>

#include "tests/rtl/control/programs.hpp"
#include "tests/rtl/core/core_bench.hpp"

namespace trnsim::test {

constexpr std::uint64_t FarAway = 64;  // instructions, more than are fetched ahead

class CoreProgram {
  public:
    CoreProgram() { core.memory.emplace(core.random(), 70, 6); }

    Core core;

    std::uint32_t bits() { return static_cast<std::uint32_t>(core.random()); }
    int port() { return static_cast<int>(core.random() % core.config.core.bus.ports); }

    // Returns a word in SBUF or PSUM that only this engine uses.
    std::uint32_t place(int engine) {
        const auto& sizes = core.config.core;
        const std::uint32_t partition = bits() % sizes.partitions;
        const bool in_psum = bits() % 2 != 0;
        const std::uint32_t words = (in_psum ? sizes.psum_partition : sizes.sbuf_partition) / 4;
        const std::uint32_t offset = 4 * (bits() % (words / Engines) * Engines + engine);
        return in_psum ? psum(partition, offset) : sbuf(partition, offset);
    }

    // Starts the engine's program. The registers hold the values that were written to them.
    void start(int engine, std::uint64_t address, std::uint32_t length) {
        const std::uint32_t registers = isa::csr::EngineStride * engine;
        for (const auto& [reg, value] : std::map<std::uint32_t, std::uint32_t>{
                 {isa::csr::EngineProgramLo, static_cast<std::uint32_t>(address)},
                 {isa::csr::EngineProgramHi, static_cast<std::uint32_t>(address >> 32)},
                 {isa::csr::EngineProgramLength, length}}) {
            ASSERT_EQ(core.write32(port(), reg + registers, value), Okay);
            ASSERT_EQ(core.read32(port(), reg + registers), value);
        }
        ASSERT_EQ(core.write32(port(), isa::csr::EngineStart + registers, 1), Okay);
        started_.insert(engine);
    }

    // Runs until started programs have halted, or a fault has stopped the core and nothing is under way.
    bool finish() {
        const auto over = [&](int engine) { return !started_.contains(engine) || core.halted(engine); };
        bool done = false;
        for (int edge = 0; edge < 1000000 && !done; ++edge) {
            core.bus_edge();
            done = core.error() || (over(0) && over(1) && over(2) && over(3) && over(4));
        }
        for (int edge = 0; edge < 50; ++edge) core.bus_edge();
        return done;
    }

    // Returns an address at which a program may begin if its branches go `reach` instructions further.
    std::uint64_t address(std::uint64_t reach) {
        return core.random() % ((1ull << 58) - reach - 2 * FarAway) * isa::InstructionBytes;
    }

  private:
    std::set<int> started_;
};

}  // namespace trnsim::test
