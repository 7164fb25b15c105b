// A core without time: runs a compiled kernel instruction by instruction and gives the bits the hardware
// must give.
//
// The engines and DMA queues take turns; what any of them may do next is decided by its program and the
// semaphores alone. So that a result does not rest on lucky turns, every access is checked against those of
// other engines: two that no semaphore orders, one of them a write, are an error, and so is reading a byte
// that nothing has written.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "testbench/functional/clocks.hpp"
#include "testbench/functional/error.hpp"
#include "testbench/functional/lane_state.hpp"
#include "testbench/functional/scalar_registers.hpp"
#include "testbench/functional/semaphore_history.hpp"
#include "testbench/functional/tensor_engine.hpp"

namespace trnsim::functional {

struct Options {
    std::uint64_t seed = 0;  // order of turns: 0 round-robin, else random
    RoundingControl rounding{};
    // Called for every instruction that is executed, with the registers added to its addresses.
    std::function<void(isa::Engine, const isa::Instruction&)> executed{};
};

class Machine {
  public:
    // Throws neff::Error for an unsound package. The package must outlive the machine.
    explicit Machine(const neff::Package& package, Options options = {});

    // Contents of a tensor of the package, C order, storage bytes. Throw Error for an unknown name or
    // another size.
    void set(const std::string& tensor, std::span<const std::uint8_t> bytes);
    const std::vector<std::uint8_t>& get(const std::string& tensor) const;

    // Runs until every engine has halted and every queue is empty. Call once. Throws Error: a deadlock with
    // what each engine waits for, engines that only run through their registers for good, a race, an
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
    struct Triggered {
        std::size_t transfer;
        Clock clock;
    };
    struct Queue {
        std::vector<Triggered> waiting;
        std::size_t next = 0;
        std::uint32_t time = 0;
        Clock clock;
    };

    bool step(std::size_t agent);
    bool step_engine(std::size_t engine);
    bool step_queue(std::size_t queue);
    bool satisfied(const isa::Instruction& instruction) const;
    void learn(std::size_t engine, std::size_t semaphore, std::uint32_t value, bool at_least, bool at_most);
    void execute(std::size_t engine, const isa::Instruction& instruction);
    void run_lanes(std::size_t engine, const isa::Instruction& instruction);
    void load_register(std::size_t engine, const isa::Instruction& instruction, const Clock& clock);
    void store_register(std::size_t engine, const isa::Instruction& instruction, const Clock& clock);
    void check_operands(std::size_t engine, const isa::Instruction& instruction, const Clock& clock);
    void check_access(std::size_t agent, std::uint64_t address, std::int64_t low, std::int64_t high,
                      bool write, std::uint32_t now, const Clock& clock);
    void check_pattern(std::size_t queue, const neff::Transfer& transfer, const neff::Pattern& pattern,
                       bool write);
    void update(std::size_t engine, isa::UpdateMode mode, std::size_t semaphore, std::uint32_t value,
                const Clock& clock);
    bool finished() const;
    [[noreturn]] void report(const char* what) const;
    std::string agent_name(std::size_t agent) const;
    std::size_t tensor_index(const std::string& name) const;

    const neff::Package& package_;
    std::function<void(isa::Engine, const isa::Instruction&)> executed_;
    std::mt19937_64 random_;
    bool shuffle_;
    bool only_registers_ = false;  // so far in this round
    CoreMemory memory_;
    TensorEngine tensor_engine_;
    LaneState vector_state_, scalar_state_;
    std::vector<std::vector<std::uint8_t>> tensors_;
    std::array<Stream, neff::EngineCount> streams_;
    std::vector<Queue> queues_;
    std::array<std::uint32_t, 256> semaphores_{};
    std::array<SemaphoreHistory, 256> history_;
    std::array<RaceCheck, 2> races_;  // SBUF, PSUM
};

}  // namespace trnsim::functional
