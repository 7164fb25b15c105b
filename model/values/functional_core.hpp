// The effects of the instructions of the Tensor, Vector and Scalar engines, whole instructions at a time and
// without time: the bits of docs/instruction-semantics.md and docs/tensor-engine.md. The caller decides when
// they take effect.
//
// An instruction goes through two calls, each in program order of its engine. issue() checks it against the
// state of the sequencer and the engine when it is handed over; execute() reads its sources and writes its
// results. Other instructions of the engine may be issued between the two.
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

// The reason why a core stops, as in its registers error_code and error_address.
struct Fault {
    isa::Error code = isa::Error::None;
    std::uint32_t address = 0;  // address in the core window; 0 if none applies
    explicit operator bool() const { return code != isa::Error::None; }
    bool operator==(const Fault&) const = default;
};

class Operation;  // an instruction, checked and decoded
using OperationPtr = std::shared_ptr<const Operation>;

struct Issued {
    Fault refused;           // the sequencer's report; the instruction then has no effect
    OperationPtr operation;  // operation to execute, null if refused
};

// Words that an instruction read before anything had written them, and the place of the first in the core
// window.
struct Unwritten {
    std::uint32_t words = 0, address = 0;
};

// The effects of an instruction besides its results.
struct Effects {
    bool nan = false;  // it wrote a NaN (register numeric_error)
    std::uint32_t unfounded =
        0;        // result rows added to words of PSUM that no matmul had written last (psum_unfounded)
    Fault fault;  // psum_accumulate, where the configuration is strict; the results are written all the same
    Unwritten unwritten{};
};

class FunctionalCore {
  public:
    explicit FunctionalCore(const config::Core& core);
    ~FunctionalCore();
    FunctionalCore(const FunctionalCore&) = delete;
    FunctionalCore& operator=(const FunctionalCore&) = delete;

    Memories& memories();
    const Memories& memories() const;

    // `engine` is Tensor, Vector or Scalar; the bytes are those of a data-path instruction (opcodes from 0x10
    // on) with the registers added to its addresses. Equal bytes are decoded once.
    Issued issue(isa::Engine engine, InstructionView bytes);

    // Reads, computes and writes all of it.
    Effects execute(const Operation& operation);

    // Takes a beat of 512 bytes that act_table_load has read (arch/activation/table_image.hpp). Returns false
    // if it is not a valid one; the core then stops with activation_table. The beats of a load come before
    // the execution of the activations after it.
    bool load_table_beat(std::span<const std::uint8_t> beat);

    // Set registers sr_control and sr_seed. Writing the seed seeds every generator of rounding.
    void set_stochastic(bool on);
    void seed_rounding(std::uint32_t seed);

    // Returns to the state after construction, except for the bytes of the memories and the contents of the
    // tables.
    void restart();

    // Save and load the effects of the instructions executed so far: the memories and the state of the three
    // engines. After load() the core is as if they had been executed here, and none is issued.
    void save(checkpoint::CoreState& state) const;
    void load(const checkpoint::CoreState& state);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace trnsim::fast
