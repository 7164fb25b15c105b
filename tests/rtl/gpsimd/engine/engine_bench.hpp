// The GpSimd engine of a core with two GpSimd cores, or with one and half of its partitions. The test plays
// the sequencer, the bus and Vector.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "Vgpsimd_engine_tb.h"
#include "arch/firmware/image.hpp"
#include "isa/instruction.hpp"
#include "tests/common/gpsimd_instructions.hpp"
#include "tests/common/model.hpp"
#include "trnsim/mailbox.hpp"

namespace trnsim::test {

constexpr std::uint32_t Lanes = ENGINE_LANES, CoreLanes = 16, Cores = (Lanes + CoreLanes - 1) / CoreLanes,
                        SbufBytes = 16384;

struct EngineClock {
    unsigned num = 1, den = 2;  // num edges of the engine in den core cycles; the bus has one in two
};

class EngineBench {
  public:
    explicit EngineBench(EngineClock clock = {});

    // Called before each core cycle.
    std::function<void()> beside;

    // Write and read bytes of the core window, in beats of the bus at one of its ports.
    void write(std::uint32_t address, std::span<const std::uint8_t> bytes, int port = 0);
    std::vector<std::uint8_t> read(std::uint32_t address, std::size_t bytes, int port = 0);
    void write32(std::uint32_t address, std::uint32_t value);
    std::uint32_t read32(std::uint32_t address);

    // Addresses in the core window
    static std::uint32_t sbuf(std::uint32_t partition, std::uint32_t byte) { return partition << 18 | byte; }
    static std::uint32_t tcm(std::uint32_t core, std::uint32_t address);  // `address` is the core's own
    firmware::Mailbox mailbox(std::uint32_t core);

    void load(const firmware::Image& image, std::uint32_t cores = (1 << Cores) - 1);
    void load(std::span<const std::uint32_t> program, std::uint32_t address,
              std::uint32_t cores = (1 << Cores) - 1);

    // Hands an instruction over once the engine takes it; finish() waits until it is done and returns false
    // if it failed.
    void issue(const isa::Instruction& instruction);
    bool finish();
    bool run(const isa::Instruction& instruction) {
        issue(instruction);
        return finish();
    }
    template <class Arguments>
    void give(const Arguments& arguments) {
        for (const isa::Instruction& instruction : gpsimd::arguments(arguments)) issue(instruction);
    }
    isa::Error reject(const isa::Instruction& instruction);

    void step();      // makes a core cycle
    void bus_step();  // runs to the end of the next cycle with an edge of the bus

    std::uint64_t cycles() const { return cycles_; }
    std::uint64_t edges() const { return edges_; }  // edges of the engine
    Vgpsimd_engine_tb& model() { return *model_; }

  private:
    std::unique_ptr<Vgpsimd_engine_tb> model_ = std::make_unique<Model<Vgpsimd_engine_tb>>();
    EngineClock clock_;
    unsigned phase_ = 0;
    std::uint64_t cycles_ = 0, edges_ = 0, given_ = 0, done_ = 0;
    // Values before the last edge of the bus.
    struct Seen {
        bool ready = false;
        unsigned rd_gnt = 0, wr_gnt = 0;
    } seen_;
};

}  // namespace trnsim::test
