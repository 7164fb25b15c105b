// Testbench of control: the verilated block, a fake system on its manager port, fake engines and the core
// window. A scoreboard follows program order, semaphores and completions cycle by cycle.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "rtl/control/fake_memory.hpp"
#include "rtl/control/fake_window.hpp"
#include "rtl/control/program_model.hpp"
#include "rtl/control/programs.hpp"

class Vcontrol;

namespace trnsim::test {

struct BenchOptions {
    std::uint64_t seed = 1;
    bool stop_clock = true;       // stop it while idle_o is high
    unsigned memory_ready = 100;  // percent of the cycles
    unsigned memory_latency = 4;  // cycles, at most
    unsigned engine_ready = 100;  // percent of the cycles
    unsigned engine_latency = 8;  // cycles, at most
    unsigned held = 0;            // percent of the cycles, for each of the hold inputs
};

// A 32-bit access to the core window.
struct Access {
    bool write;
    std::uint32_t address, data;
};
struct Answer {
    std::uint32_t data;
    bool error;
};

struct Fault {
    isa::Error code;
    unsigned engine, pc;
    std::uint32_t address;
    unsigned opcode;
    bool operator==(const Fault&) const = default;
};

class ControlBench {
  public:
    explicit ControlBench(const BenchOptions& options);
    ~ControlBench();

    void reset();
    // Puts the program into memory, sets its address and length, and starts it.
    void run_program(int engine, const Program& program, std::uint64_t address);
    // Only starts it: the test has loaded the program and written the registers.
    void start_program(int engine, const Program& program);
    // Runs cycles until every started engine has halted, or the core has stopped on an error and nothing is
    // in flight. Returns false if that takes more than `limit` cycles.
    bool finish(unsigned limit = 100000);
    void cycle();
    void cycles(unsigned count);
    void set_held(unsigned percent) { options_.held = percent; }
    // Runs a clock cycle with all inputs quiet, to measure the model alone.
    void clock_only();

    // Makes one access to the core window, after zero or more cycles of waiting.
    Answer access(const Access& access);
    std::uint32_t read(std::uint32_t address);
    void write(std::uint32_t address, std::uint32_t data);
    Fault fault();
    std::uint32_t engine_register(int engine, std::uint32_t offset) {
        return read(0x2710000 + engine * 0x100 + offset);
    }

    FakeMemory memory;
    // SBUF and PSUM for register_load and register_store; everything else they reach through the core window.
    FakeWindow window;
    // The engine's verdict on an instruction; without it there is none.
    std::function<isa::Error(int engine, const isa::Instruction&)> reject;
    // Other accesses to the core window, at most one a cycle.
    std::function<std::optional<Access>()> traffic;
    // While set, the engine completes nothing.
    std::array<bool, Engines> hold{};
    // While set, the engine takes nothing.
    std::array<bool, Engines> refuse{};
    // Inputs that the bench does not drive: counters, faults and numbers from other blocks.
    Vcontrol& pins() { return *dut_; }
    // False when a test wants a fault.
    bool expect_no_error = true;

    // Observations.
    std::uint64_t now() const { return now_; }
    std::uint64_t clocked() const { return clocked_; }
    std::uint32_t semaphore(unsigned index) const { return semaphores_[index]; }
    std::array<unsigned, Engines> issued{}, completed{};
    std::array<unsigned, Engines> longest_queue{};
    std::array<std::array<unsigned, 8>, Engines> cycles_in_state{};
    std::vector<std::uint64_t> trace;  // one hash a cycle over all outputs
    std::vector<std::uint32_t> seeds;  // stochastic-rounding seeds handed to the engines
    bool error() const;
    bool idle() const;
    isa::SeqState state(int engine) const;

  private:
    struct Stream {
        ProgramModel model;                        // its head is not handed over and not completed
        std::deque<isa::Instruction> in_flight;    // handed over or executed, but not completed
        bool wait_seen = false;                    // its semaphore condition held in some cycle at the head
        bool begun = false;                        // the head waits for its execution, reported as issued
        std::optional<std::uint32_t> loaded = {};  // answer to the head's window access
        bool running = false;
    };
    enum class Requester { Test, Traffic, Window };

    void drive();
    void drive_window();
    void sample();
    void sample_window();
    void hold_back();
    void next_head(Stream& stream);
    void check_issue(int engine);
    void check_completion(int engine);
    void look_at_waits();
    isa::Instruction head_of(int engine) const;

    BenchOptions options_;
    std::unique_ptr<Vcontrol> dut_;
    bool active_ = true;  // idle_o was low in the last cycle
    std::mt19937_64 random_;
    std::uint64_t now_ = 0, clocked_ = 0;
    std::array<Stream, Engines> stream_{};
    std::array<std::deque<std::uint64_t>, Engines> working_{};  // cycles in which the engine is done
    std::array<std::uint32_t, 256> semaphores_{};
    unsigned updates_this_cycle_ = 0;
    std::optional<Access> pending_;
    Requester requester_ = Requester::Test;
    std::optional<Answer> answer_;
};

}  // namespace trnsim::test
