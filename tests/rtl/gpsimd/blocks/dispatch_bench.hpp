// The block that executes the instructions of the GpSimd engine, without its cores. The test plays the cores
// and their memories, so that a core can do at a chosen cycle what no program can be made to do.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <vector>

#include "Vgpsimd_dispatch_tb.h"
#include "isa/instruction.hpp"
#include "tests/common/gpsimd_instructions.hpp"
#include "tests/common/model.hpp"
#include "tests/common/random.hpp"
#include "trnsim/mailbox.hpp"

namespace trnsim::test {

constexpr std::uint32_t Cores = 3, All = 7, Latency = 24, WakeLimit = 64, BeatWords = 16;
constexpr std::uint32_t SbufBytes = 16384, Lanes = 48;  // as in bus1024/cfg_pkg.sv

// The mailbox, in words
constexpr std::uint32_t MailboxWord = 0x2000 / 4, MailboxWords = 256;
enum MailboxField : std::uint32_t {
    Magic = 0,
    Request = 1,
    Command = 2,
    Number = 3,
    Count = 4,
    Completed = 5,
    Answer = 6,
    PartitionBytes = 17,
    Partitions = 18,
    Arguments = 64
};
std::uint32_t mailbox_address(std::uint32_t core);

// A cycle of a core at work.
struct Moment {
    std::uint32_t pc;
    bool traps = false;
};

// The reactions of a core when it is told to halt, starts, or is interrupted; times are in cycles.
struct Behaviour {
    unsigned halts = 3, starts = 5, wakes = 2, works = 8;
    bool leaves_wfi = true, waits = true;
    std::vector<Moment> moments{};  // first cycles at work or at the start
    bool for_ever = false;          // the moments repeat for ever
    std::uint32_t magic = firmware::MailboxMagic, status = 0;
    std::uint32_t request_changed = 0;  // changed bits of the number that it reports as completed
};

class DispatchedCore {
  public:
    Behaviour behaviour;
    bool keeps_trapping = false;  // it traps in every state
    std::uint64_t starts = 0, wakes = 0, waits_since = 0;
    std::uint32_t booted_at = 0;

    [[nodiscard]] bool halted() const { return state_ == State::Halted; }
    [[nodiscard]] bool waiting() const { return state_ == State::Waiting || state_ == State::Waking; }
    [[nodiscard]] bool trapped() const { return trapped_; }
    [[nodiscard]] std::uint32_t pc() const { return pc_; }

    // Makes an edge of the clock.
    void step(std::uint64_t cycle, bool run, bool irq, std::uint32_t boot);

    // Words of the mailbox: the actual ones and the expected ones.
    std::array<std::uint32_t, MailboxWords> words{}, expected{};
    void write(std::uint32_t place, std::uint32_t value) { words[place] = expected[place] = value; }

  private:
    enum class State { Halted, Starting, Waiting, Waking, Working, Halting };
    bool busy();
    void enter(State state, unsigned cycles) {
        state_ = state;
        left_ = cycles;
        at_ = 0;
        pc_ = MailboxField::Arguments * 4 * static_cast<std::uint32_t>(state);
    }

    State state_ = State::Halted;
    unsigned left_ = 0;
    std::size_t at_ = 0;
    bool ran_ = false, trapped_ = false;
    std::uint32_t pc_ = 0;
};

class DispatchBench {
  public:
    DispatchBench();

    std::array<DispatchedCore, Cores> cores;
    unsigned taken_percent = 100;        // percent of the accesses that a memory takes at once
    std::function<void()> at_interrupt;  // called when an interrupt rises

    // Hands an instruction over; returns the cycle.
    std::uint64_t issue(const isa::Instruction& instruction);
    // Runs to the end of the instruction; returns the cycles since `issue`, or nothing if it failed.
    std::optional<std::uint64_t> finish();
    std::optional<std::uint64_t> run(const isa::Instruction& instruction) {
        issue(instruction);
        return finish();
    }
    isa::Error reject(const isa::Instruction& instruction);
    void step();

    // Adds the words that an instruction should write to the expected ones.
    void expect_arguments(const isa::Instruction& instruction);
    void expect_command(std::uint32_t mask, std::uint32_t operation);
    void check_mailboxes();
    // Starts all cores.
    void start();
    void reset();

    [[nodiscard]] isa::GpsimdState state(std::uint32_t core) const {
        return static_cast<isa::GpsimdState>(model_.state_o >> 2 * core & 3);
    }
    [[nodiscard]] std::uint64_t cycle() const { return cycle_; }
    [[nodiscard]] std::uint64_t issued() const { return issued_at_; }
    Vgpsimd_dispatch_tb& model() { return model_; }
    std::mt19937_64& random() { return random_; }
    std::uint32_t request = 0;  // number of the last request

    std::uint64_t interrupt_at = 0, beats = 0;
    std::uint32_t interrupted = 0;  // cores interrupted since the last instruction

  private:
    using Beat = std::array<std::uint32_t, BeatWords>;

    void serve();

    Model<Vgpsimd_dispatch_tb> model_;
    std::mt19937_64 random_ = generator();
    std::array<std::array<std::optional<Beat>, 3>, Cores> answers_{};
    std::uint64_t cycle_ = 0, issued_at_ = 0;
    unsigned under_way_ = 0;
    std::uint32_t irq_ = 0;
};

}  // namespace trnsim::test
