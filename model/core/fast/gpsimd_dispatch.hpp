// Executes the instructions of the GpSimd engine, one at a time (rtl/gpsimd/gpsimd_dispatch.sv): it writes
// mailboxes, wakes and starts cores, and reads their answers.
#pragma once

#include <array>
#include <cstdint>

#include "model/core/counts.hpp"
#include "model/core/fast/decoded.hpp"
#include "model/core/fast/functional.hpp"

namespace trnsim::tlm::core_fast {

// Returns the error of an instruction that so many cores cannot do.
isa::Error check_gpsimd(const InstructionBytes& bytes, unsigned cores);

class GpsimdDispatch {
  public:
    static constexpr unsigned BeatWords = 16, BeatBytes = 64;
    using Words = std::array<std::uint32_t, BeatWords>;
    // The parts of the configuration that mailboxes contain.
    struct Sizes {
        unsigned cores = 0;
        std::uint64_t issue_latency = 0;
        std::uint32_t partition_bytes = 0, partitions = 0;
    };
    explicit GpsimdDispatch(const Sizes& sizes) : sizes_(sizes) {}

    bool ready() const { return state_ == State::Idle || state_ == State::Failed; }
    bool done() const { return done_; }
    bool busy() const { return !ready() || done_; }
    // None until an instruction has failed; then with its mailbox's address.
    const Verdict& fault() const { return fault_; }

    // Inputs of the cores, one bit each; `boot` is for a start.
    std::uint32_t run() const { return run_; }
    std::uint32_t irq() const { return irq_; }
    std::uint32_t boot() const { return boot_; }
    isa::GpsimdState state(unsigned core, bool halted, bool waiting) const;

    // The access that it requests from the memories of some cores.
    bool active() const { return state_ == State::Write || state_ == State::Number || state_ == State::Read; }
    std::uint32_t requests() const;
    bool writes() const { return state_ != State::Read; }
    std::uint32_t beat() const;  // in the TCM
    const Words& data() const { return data_[step_]; }
    std::uint32_t strobe() const { return strobe_[step_]; }  // one bit for each word

    struct In {
        const InstructionBytes* accepted = nullptr;
        std::uint32_t halted = 0, waiting = 0, trapped = 0;  // one bit for each core
        std::array<std::uint32_t, MaxGpsimdCores> pc{};
        std::uint32_t granted = 0, answered = 0;  // accesses
        std::uint32_t wrong = 0;                  // answers that is_answer() does not accept
    };
    bool is_answer(const Words& mailbox) const;
    void edge(const In& in);

    // Save and load while it is ready. Cores run as their states say.
    void save(checkpoint::GpsimdState& state) const;
    void load(const checkpoint::GpsimdState& state);

  private:
    enum class State : std::uint8_t { Idle, Write, Number, Latency, Run, Halt, Boot, Read, Failed };

    void accept(const InstructionBytes& bytes);
    // `issued`: the cycles from the instruction to the interrupt are over.
    void edge_state(const In& in, bool issued);
    std::uint32_t failing(const In& in) const;
    std::uint32_t stuck(const In& in) const;
    bool count_reached(std::uint64_t cycles) const { return count_ >= cycles; }

    Sizes sizes_;
    State state_ = State::Idle;
    isa::Opcode opcode_{};
    std::uint32_t mask_ = 0, pending_ = 0, answered_ = 0, bad_ = 0, trapped_ = 0;  // one bit for each core
    unsigned number_ = 0;
    std::uint32_t count_ = 0;
    std::uint32_t request_ = 0, boot_ = 0, run_ = 0, irq_ = 0;
    bool done_ = false;
    Verdict fault_;
    std::uint32_t same_ = 0;  // cores that trapped and have executed nothing else
    std::array<std::uint32_t, MaxGpsimdCores> trap_pc_{};

    // The beats to write.
    unsigned step_ = 0, last_ = 0;
    std::uint32_t beat_ = 0;
    std::array<Words, 2> data_{};
    std::array<std::uint32_t, 2> strobe_{};
};

}  // namespace trnsim::tlm::core_fast
