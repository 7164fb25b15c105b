// The functions that the timing of the fast core needs: the bits in the memories, and the verdicts on
// instructions. This is the only interface between timing and function.
#pragma once

#include <cstdint>
#include <span>

#include "arch/checkpoint/core_state.hpp"
#include "isa/isa_tables.hpp"
#include "model/core/fast/decoded.hpp"
#include "model/rv32/hart.hpp"

namespace trnsim::tlm::core_fast {

// A fault in the form of the error registers.
struct Verdict {
    isa::Error code = isa::Error::None;
    std::uint32_t address = 0;  // address in the core window, 0 if none applies
};

struct Effects {
    bool nan = false;             // a NaN was written
    std::uint32_t unfounded = 0;  // rows added to words of PSUM that no matmul had written
    Verdict fault{};              // fault of the memories
    // Words that were read before anything had written them, and the address of the first.
    std::uint32_t unwritten = 0, unwritten_address = 0;
};

class Functional {
  public:
    virtual ~Functional() = default;

    // Checks a data-path instruction of Tensor, Vector or Scalar, in program order of its engine. An
    // instruction that is not refused waits for execute().
    virtual Verdict issue(isa::Engine engine, const InstructionBytes& bytes) = 0;
    // Executes the oldest waiting instruction of the engine.
    virtual Effects execute(isa::Engine engine) = 0;
    // Takes a beat of activation tables. Returns false if it is not a valid one.
    virtual bool load_table_beat(std::span<const std::uint8_t> beat) = 0;

    // Access SBUF and PSUM at an offset of the core window. Return false and do nothing if some bytes do not
    // exist.
    virtual bool read(std::uint32_t offset, std::span<std::uint8_t> data) = 0;
    virtual bool write(std::uint32_t offset, std::span<const std::uint8_t> data) = 0;

    // Returns the slice of SBUF of a GpSimd core; it stays where it is.
    virtual rv32::Slice slice(unsigned core) = 0;

    virtual void set_stochastic(bool on) = 0;
    virtual void seed_rounding(std::uint32_t seed) = 0;
    // Puts everything back into the first state, except for the contents of the memories.
    virtual void restart() = 0;

    // Save and load the effects of executed instructions; those that wait for execute() are in no state.
    virtual void save(checkpoint::CoreState& state) const = 0;
    virtual void load(const checkpoint::CoreState& state) = 0;
};

}  // namespace trnsim::tlm::core_fast
