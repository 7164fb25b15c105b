// The sequencer of one engine, cycle by cycle of the bus clock (rtl/control/sequencer.sv): it takes
// instructions from the prefetch buffer, checks them, waits for semaphores, hands them to the engine and
// updates semaphores when they complete. It executes control instructions itself.
//
// Within a cycle, its requests to others come from its registers; decide() says what it does with their
// answers, edge() does it.
#pragma once

#include <cstdint>
#include <deque>

#include "arch/checkpoint/core_state.hpp"
#include "model/core/fast/control_types.hpp"
#include "model/core/fast/functional.hpp"
#include "model/core/fast/prefetch_buffer.hpp"
#include "model/core/fast/scalar_registers.hpp"

namespace trnsim::tlm::core_fast {

struct SequencerProbe;

class Sequencer {
  public:
    // `semaphore_latency`: bus cycles of an event_semaphore from issue to completion.
    Sequencer(isa::Engine engine, std::uint64_t semaphore_latency, unsigned gpsimd_cores)
        : engine_(engine), stages_(semaphore_latency - 1), gpsimd_cores_(gpsimd_cores) {}

    // Its requests in this cycle. hold_done: the oldest instruction does not complete.
    bool offers() const { return state_ == State::Offer; }
    const InstructionBytes& offered() const {
        return issued_;
    }  // registers are added; valid for the head from its check on
    bool asks_bus() const { return state_ == State::Execute && uses_bus(opcode_); }
    bool asks_window() const { return state_ == State::Execute && uses_window(opcode_); }
    std::uint32_t store_data() const { return registers_.store_data(head_.bytes); }
    std::uint8_t wait_semaphore() const { return wait_semaphore_; }
    SemaphoreUpdate update(bool hold_done) const;  // by the oldest instruction; mode None: none

    struct In {
        bool stop = false, hold_issue = false, hold_done = false, start = false;
        bool available = false;     // the prefetch buffer has an instruction
        bool taken = false;         // the engine took the offered instruction
        bool engine_done = false;   // the engine's oldest instruction is done
        isa::Error engine_fault{};  // fault of its oldest one that is not done
        std::uint32_t engine_fault_address = 0;
        std::uint32_t wait_value = 0;            // value of wait_semaphore()
        bool updated = false, overflow = false;  // served; and it left the semaphore unchanged
        bool bus_done = false, bus_error = false, window_done = false, window_error = false;
        std::uint32_t load_data = 0;
        ProgramPlace program;
    };
    enum class State : std::uint8_t { Idle, Fetch, Check, Wait, Offer, Execute, UnderWay, Update, Halted };
    struct Step {
        State next = State::Idle;
        bool pop = false, flush = false, redirect = false;
        bool operates = false, loads = false;  // registers
        bool push = false, advance = false, leaves = false;
        bool retire = false, completed = false, issued = false;
        bool active = false;  // something changes
        CoreFault fault;      // code None: none
    };
    Step decide(const In& in) const;
    // `popped`: the instruction that pop has taken. The functional core checks the engine's instructions.
    void edge(const In& in, const Step& step, const FetchedInstruction* popped, Functional& functional);

    std::uint32_t target() const;  // target of the branch at the head
    isa::SeqState state(const In& in) const;
    Origin head() const { return {pc_, static_cast<std::uint8_t>(opcode_)}; }
    Origin oldest() const { return queue_.front().origin; }  // oldest not completed
    std::uint32_t completed() const { return completed_; }
    // Returns the signals for waveforms, without pulses.
    SequencerProbe probe(const In& in, const Step& step) const;
    bool quiet(bool stop) const;

    // Returns whether nothing is under way: it is at an instruction, has halted or was never started.
    bool stands() const;
    void save(checkpoint::SequencerState& state) const;
    void load(const checkpoint::SequencerState& state);

  private:
    struct Entry {
        SemaphoreUpdate update;
        Origin origin;
        bool executed;  // executed by the sequencer itself
    };

    // Failures of instructions in a cycle: of the oldest one in its update; of the head in its check or its
    // access.
    struct Failures {
        bool overflow = false, check = false, access = false;
        bool any() const { return overflow || check || access; }
    };

    bool satisfied(std::uint32_t value) const;
    bool full() const;
    bool oldest_done() const { return !queue_.empty() && (queue_.front().executed || done_ != 0); }
    bool completes(bool hold_done) const { return oldest_done() && !hold_done; }
    void leave_wait(const In& in, Step& step) const;
    CoreFault fault(const In& in, const Failures& failures) const;
    void take(const FetchedInstruction& instruction);
    void check(const ProgramPlace& program, Functional& functional);
    Verdict check_control(const ProgramPlace& program) const;

    isa::Engine engine_;
    std::uint64_t stages_;  // cycles of an event_semaphore's update under way
    unsigned gpsimd_cores_;
    State state_ = State::Idle;
    bool failed_ = false;
    Verdict verdict_;
    std::uint32_t pc_ = 0, completed_ = 0;
    ScalarRegisters registers_;

    // The instruction at the head.
    FetchedInstruction head_;
    InstructionBytes issued_{};
    isa::Opcode opcode_{};
    isa::WaitMode wait_mode_{};
    std::uint8_t wait_semaphore_ = 0;
    std::uint32_t wait_value_ = 0;
    SemaphoreUpdate update_;

    std::deque<Entry> queue_;      // handed over or executed, and not completed
    std::uint32_t done_ = 0;       // done in the engine and not completed
    std::uint64_t under_way_ = 0;  // cycles until an event_semaphore's update arrives, 0: none
};

}  // namespace trnsim::tlm::core_fast
