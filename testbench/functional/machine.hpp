// A core without time: runs a compiled kernel instruction by instruction and gives the bits the hardware
// must give.
//
// The engines take turns, and so do the DMA engines, each on its own; what any of them may do next is decided
// by its program and the semaphores alone. So that a result does not rest on lucky turns, every access is
// checked against those of others: two that no semaphore orders, one of them a write, are an error, and so is
// reading a byte that nothing has written. An adversary chooses among the orders the hardware allows.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "testbench/functional/agents.hpp"
#include "testbench/functional/dma.hpp"
#include "testbench/functional/error.hpp"
#include "testbench/functional/lane_state.hpp"
#include "testbench/functional/scalar_registers.hpp"
#include "testbench/functional/semaphore_history.hpp"
#include "testbench/functional/storage.hpp"
#include "testbench/functional/tensor_engine.hpp"

namespace trnsim::functional {

struct Options {
    Adversary adversary = Adversary::Earliest;
    std::uint64_t seed = 1;  // of Adversary::Random, which shuffles the turns of the engines as well
    RoundingControl rounding{};
    // Called for every instruction that is executed, with the registers added to its addresses.
    std::function<void(isa::Engine, const isa::Instruction&)> executed{};
};

// One of many orders to try: 0 is Earliest, 1 Latest, every other number a random one of its own.
Options in_order(std::uint64_t order, RoundingControl rounding = {});

class Machine {
  public:
    // Throws neff::Error for an unsound package. The package must outlive the machine.
    explicit Machine(const neff::Package& package, Options options = {});

    // Contents of a tensor of the package, C order, storage bytes. Throw Error for an unknown name or
    // another size.
    void set(const std::string& tensor, std::span<const std::uint8_t> bytes);
    const std::vector<std::uint8_t>& get(const std::string& tensor) const;

    // Runs until every engine has halted and every DMA engine is idle. Call once. Throws Error: a deadlock
    // with what each engine waits for, engines that only run through their registers for good, a race, an
    // unwritten byte read, an instruction that is not modelled.
    void run();

  private:
    struct Stream {
        std::size_t pc = 0;
        bool halted = false;
        std::uint32_t time = 0;     // instructions so far
        std::uint32_t drained = 0;  // those known to have completed, as the sequencer has waited for them
        Clock clock;                // what the sequencer knows; its own entry only by waiting for itself
        ScalarRegisters registers;
    };
    bool step_engine(std::size_t engine);
    void trigger(std::size_t engine, std::size_t transfer);
    void completed(std::size_t transfer, const Actor& actor);
    bool satisfied(const isa::Instruction& instruction) const;
    void learn(std::size_t engine, std::size_t semaphore, std::uint32_t value, bool at_least, bool at_most);
    void execute(std::size_t engine, const isa::Instruction& instruction);
    void run_lanes(std::size_t engine, const isa::Instruction& instruction);
    void load_register(std::size_t engine, const isa::Instruction& instruction, const Clock& clock);
    void store_register(std::size_t engine, const isa::Instruction& instruction, const Clock& clock);
    void check_operands(std::size_t engine, const isa::Instruction& instruction, const Clock& clock);
    void update(std::size_t engine, isa::UpdateMode mode, std::size_t semaphore, std::uint32_t value,
                const Clock& clock);
    bool finished() const;
    [[noreturn]] void report(const char* what) const;
    std::size_t tensor_index(const std::string& name) const;

    const neff::Package& package_;
    Agents agents_;
    std::function<void(isa::Engine, const isa::Instruction&)> executed_;
    std::mt19937_64 random_;
    bool shuffle_;
    bool only_registers_ = false;  // so far in this round: waiting, or polling in a loop
    Storage storage_;
    Dma dma_;
    TensorEngine tensor_engine_;
    LaneState vector_state_, scalar_state_;
    std::array<Stream, neff::EngineCount> streams_;
    std::array<std::uint32_t, 256> semaphores_{};
    std::array<SemaphoreHistory, 256> history_;
};

}  // namespace trnsim::functional
