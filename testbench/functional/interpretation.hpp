// One run of a compiled kernel in the interpreter, in one order. Interpreter (interpreter.hpp) repeats it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "testbench/functional/agents.hpp"
#include "testbench/functional/dma.hpp"
#include "testbench/functional/error.hpp"
#include "testbench/functional/gpsimd_engine.hpp"
#include "testbench/functional/lane_state.hpp"
#include "testbench/functional/limits.hpp"
#include "testbench/functional/scalar_registers.hpp"
#include "testbench/functional/semaphore_history.hpp"
#include "testbench/functional/storage.hpp"
#include "testbench/functional/tensor_engine.hpp"

namespace trnsim::functional {

struct Options {
    Adversary adversary = Adversary::Earliest;
    std::uint64_t seed = 1;  // seed of Adversary::Random, which shuffles the turns of the engines as well
    RoundingControl rounding{};
    // Called for every executed instruction, with the registers added to its addresses.
    std::function<void(isa::Engine, const isa::Instruction&)> executed{};
    // Called for every instruction before it is executed, with its index in the program.
    std::function<void(isa::Engine, std::size_t pc)> began{};
    Limits limits{};
    Watcher* watcher = nullptr;  // may be null; must outlive the run
    // If set, takes the first races, each pair of instructions or transfers once. Then neither races nor
    // reads of unwritten bytes end the run; an unwritten byte reads as zero.
    std::vector<std::string>* races = nullptr;
};

using Histories = std::array<SemaphoreHistory, 256>;  // by semaphore

class Interpretation {
  public:
    // `tensors` are the contents by Package::tensors. `histories` have been restarted. All arguments but the
    // options must outlive the run. A package with collectives needs `meets`.
    Interpretation(const neff::Package& package, const Options& options,
                   const std::vector<std::vector<std::uint8_t>>& tensors, Histories& histories,
                   const Meets& meets = {});

    // Runs until every engine has halted and every DMA engine is idle. Call once. Throws Error for a deadlock
    // (with what each engine waits for), for engines that run only register instructions in an endless loop,
    // for more work than Options::limits, for a race, for a read of an unwritten byte, for an instruction that
    // a core refuses, and for one that is not modelled. Throws Interrupted.
    void run();

    // The same in parts, for one of several ranks: runs until it has to wait for the others. Returns whether
    // anything has happened. At the end nothing happens any more on any rank.
    bool advance();
    void expect_end() const;

    // Throws Error for an element of an output that nothing has written. Outputs of which `given` is true had
    // contents before the run; so had tensors that are updated.
    void expect_outputs(const std::vector<bool>& given) const { storage_.expect_outputs(given); }

    std::vector<std::vector<std::uint8_t>>& tensors() { return storage_.tensors; }
    CoreMemory& core() { return storage_.core; }

  private:
    struct Stream {
        std::size_t pc = 0;
        bool halted = false;
        std::uint32_t time = 0;     // number of instructions so far
        std::uint32_t drained = 0;  // number known to have completed, as the sequencer has waited for them
        Clock clock;  // knowledge of the sequencer; of its own engine, only what it has waited for
        ScalarRegisters registers;
    };
    bool step_engine(std::size_t engine);
    void trigger(std::size_t engine, std::size_t transfer);
    void completed(std::size_t transfer, const Actor& actor);
    bool satisfied(const isa::Instruction& instruction) const;
    void learn(std::size_t engine, std::uint32_t time, std::size_t semaphore, std::uint32_t value,
               bool at_least, bool at_most);
    void execute(std::size_t engine, const isa::Instruction& instruction);
    void run_lanes(std::size_t engine, const isa::Instruction& instruction);
    void load_register(std::size_t engine, const isa::Instruction& instruction, const Clock& clock);
    void store_register(std::size_t engine, const isa::Instruction& instruction, const Clock& clock);
    void check_operands(std::size_t engine, const isa::Instruction& instruction, const Clock& clock);
    void update(std::size_t engine, isa::UpdateMode mode, std::size_t semaphore, std::uint32_t value,
                const Clock& clock);
    bool finished() const;
    [[noreturn]] void report(const char* what) const;

    const neff::Package& package_;
    Agents agents_;
    std::function<void(isa::Engine, const isa::Instruction&)> executed_;
    std::function<void(isa::Engine, std::size_t pc)> began_;
    Watcher* watcher_;
    std::mt19937_64 random_;
    bool shuffle_;
    bool only_registers_ = false;  // true if all engines in this round so far only waited or polled in a loop
    Journal journal_;
    Storage storage_;
    Budget budget_;
    Dma dma_;
    TensorEngine tensor_engine_;
    GpsimdEngine gpsimd_engine_;
    LaneState vector_state_, scalar_state_;
    std::array<Stream, neff::EngineCount> streams_;
    Clock completion_;  // knowledge of the instruction at work when it has completed
    std::array<std::uint32_t, 256> semaphores_{};
    Histories& history_;
};

}  // namespace trnsim::functional
