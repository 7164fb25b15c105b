// What the instructions of the Tensor, Vector and Scalar engines do, whole instructions at a time and without time: the bits of
// docs/instruction-semantics.md and docs/tensor-engine.md. Whoever gives it instructions decides when they take effect.
//
// An instruction goes through two calls, each in program order of its engine. issue() checks it against what the sequencer and the
// engine know when it is handed over; execute() reads its sources and writes its results. Others of the engine may be issued between
// the two.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "arch/checkpoint/core_state.hpp"
#include "arch/config/config.hpp"
#include "isa/fields.hpp"
#include "model/values/memory.hpp"

namespace trnsim::fast {

using isa::InstructionView;

// Why a core stops, as its registers error_code and error_address say.
struct Fault {
    isa::Error code = isa::Error::None;
    std::uint32_t address = 0;  // of the core window; 0 where none applies
    explicit operator bool() const { return code != isa::Error::None; }
    bool operator==(const Fault&) const = default;
};

class Operation;  // an instruction, checked and decoded
using OperationPtr = std::shared_ptr<const Operation>;

struct Issued {
    Fault refused;           // as the sequencer reports it; the instruction has no effect then
    OperationPtr operation;  // what to execute, null if refused
};

// What an instruction did beside writing its results.
struct Effects {
    bool nan = false;  // it wrote a NaN (register numeric_error)
    std::uint32_t unfounded =
        0;        // result rows added to words of PSUM that no matmul had written last (psum_unfounded)
    Fault fault;  // psum_accumulate, where the configuration is strict; the results are written all the same
};

class FunctionalCore {
  public:
    explicit FunctionalCore(const config::Core& core);
    ~FunctionalCore();
    FunctionalCore(const FunctionalCore&) = delete;
    FunctionalCore& operator=(const FunctionalCore&) = delete;

    Memories& memories();
    const Memories& memories() const;

    // `engine` is Tensor, Vector or Scalar; the bytes are those of a data-path instruction (opcodes from 0x10 on) with the registers
    // added to its addresses. Equal bytes are decoded once.
    Issued issue(isa::Engine engine, InstructionView bytes);

    // Reads, computes and writes all of it.
    Effects execute(const Operation& operation);

    // A beat of 512 bytes that act_table_load has read (arch/activation/table_image.hpp). False: it is none, and the core stops with
    // activation_table. The beats of a load come before the execution of the activations after it.
    bool load_table_beat(std::span<const std::uint8_t> beat);

    // Registers sr_control and sr_seed. Writing the seed seeds every generator of rounding.
    void set_stochastic(bool on);
    void seed_rounding(std::uint32_t seed);

    // Everything as after construction, but for the bytes of the memories and the contents of the tables.
    void restart();

    // What the instructions executed so far have left: of a state the memories and what the three engines keep. After load() it is as
    // if they had been executed here, and none is issued.
    void save(checkpoint::CoreState& state) const;
    void load(const checkpoint::CoreState& state);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace trnsim::fast
