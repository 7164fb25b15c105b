// What the timing of the fast core needs of its function: the bits in the memories, and the verdicts on instructions. The one
// interface between the two.
#pragma once

#include <cstdint>
#include <span>

#include "arch/checkpoint/core_state.hpp"
#include "isa/isa_tables.hpp"
#include "model/core/fast/decoded.hpp"
#include "model/rv32/hart.hpp"

namespace trnsim::tlm::core_fast {

// As the error registers have it.
struct Verdict {
    isa::Error code = isa::Error::None;
    std::uint32_t address = 0;  // of the core window, 0 where none applies
};

struct Effects {
    bool nan = false;             // it has written a NaN
    std::uint32_t unfounded = 0;  // rows that it added to words of PSUM which no matmul had written
    Verdict fault{};              // of the memories
};

class Functional {
  public:
    virtual ~Functional() = default;

    // Checks a data-path instruction of Tensor, Vector or Scalar, in program order of its engine. One that is not refused waits for
    // execute().
    virtual Verdict issue(isa::Engine engine, const InstructionBytes& bytes) = 0;
    // The oldest instruction of the engine that waits.
    virtual Effects execute(isa::Engine engine) = 0;
    // A beat of activation tables. False: it is none.
    virtual bool load_table_beat(std::span<const std::uint8_t> beat) = 0;

    // SBUF and PSUM at an offset of the core window. False: some of it is not there, and nothing happens.
    virtual bool read(std::uint32_t offset, std::span<std::uint8_t> data) = 0;
    virtual bool write(std::uint32_t offset, std::span<const std::uint8_t> data) = 0;

    // SBUF as a GpSimd core has it; stays where it is.
    virtual rv32::Slice slice(unsigned core) = 0;

    virtual void set_stochastic(bool on) = 0;
    virtual void seed_rounding(std::uint32_t seed) = 0;
    // As it was made, but for the contents of the memories.
    virtual void restart() = 0;

    // What the instructions executed have left; those that wait for execute() are in no state.
    virtual void save(checkpoint::CoreState& state) const = 0;
    virtual void load(const checkpoint::CoreState& state) = 0;
};

}  // namespace trnsim::tlm::core_fast
