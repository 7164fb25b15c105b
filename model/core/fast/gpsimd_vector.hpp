// The vector unit of a GpSimd core: instructions in order, a beat of a register group in a cycle, registers
// with results under way (rtl/gpsimd/gpsimd_vector.sv, gpsimd_voperands.sv, gpsimd_vdivider.sv). It has the
// places of registers, not their values.
#pragma once

#include <array>
#include <cstdint>

#include "model/core/fast/decoded.hpp"
#include "model/core/fast/gpsimd_vector_memory.hpp"

namespace trnsim::tlm::core_fast {

class GpsimdVector {
  public:
    explicit GpsimdVector(std::uint32_t register_bytes);

    // The instruction to be handed over next is prepared here.
    GpsimdVectorInstruction& next() { return instructions_[1 - current_]; }

    // Finds the actions of a cycle from the present registers.
    void settle(bool loads_done);
    bool ready() const { return state_ == State::Idle || (advances_ && last_); }
    bool idle() const { return state_ == State::Idle; }
    // A scalar result in this cycle, and its register.
    bool result() const { return advances_ && scalar_result_; }
    std::uint8_t dest() const { return instructions_[current_].decoded.dest; }
    bool memory_done() const { return state_ == State::Memory && memory_.done(); }
    bool draining() const { return state_ == State::Memory && memory_.draining(); }
    GpsimdRequest request() const { return state_ == State::Memory ? memory_.request() : GpsimdRequest{}; }

    // `starts`: next() is handed over. `taken`: the requested access is taken.
    void edge(bool starts, bool taken);

  private:
    static constexpr unsigned Registers = 32;
    static constexpr unsigned IntegerStages = figure(Figure::GpsimdVectorStages),
                              FloatStages = figure(Figure::GpsimdVectorFloatStages);
    enum class State : std::uint8_t { Idle, Run, Memory };
    enum class Divider : std::uint8_t { Idle, Load, Step, Done };

    struct Reads {
        unsigned x, y, z;
    };
    Reads reads() const;
    Reads slide_reads() const;
    std::uint32_t vlmax() const;
    bool is_blocked(const Reads& reads) const;
    bool any_active() const;
    bool writes(unsigned& which) const;
    bool is(VectorKind kind) const { return row().kind == kind; }
    const VectorRow& row() const { return instructions_[current_].decoded.row; }
    void settle_run();
    void edge_run();
    void edge_divider();

    std::uint32_t register_bytes_;
    unsigned byte_bits_;
    std::array<GpsimdVectorInstruction, 2> instructions_;
    unsigned current_ = 0;
    GpsimdVectorMemory memory_;

    State state_ = State::Idle;
    std::uint32_t vl_ = 0, width_ = 0;
    bool one_by_one_ = false, scalar_result_ = false, divides_ = false, slides_ = false, float_ = false;
    std::uint32_t beat_ = 0;  // beat, or element for operations that go one by one
    std::uint32_t packed_ = 0;
    std::uint32_t wait_ = 0;
    std::array<std::uint32_t, FloatStages> in_flight_{};  // registers, by cycles left minus one
    std::uint32_t own_ = 0;                               // registers that this instruction has written
    Divider divider_ = Divider::Idle;
    std::uint32_t pass_ = 0, left_ = 0;

    // State of the current cycle.
    bool blocked_ = false, advances_ = false, last_ = false, nothing_ = false;
    Reads now_{};
};

}  // namespace trnsim::tlm::core_fast
