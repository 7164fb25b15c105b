// Multiplier, divider and floating point of a GpSimd core, which share a register port with scalar results of
// the vector unit (rtl/gpsimd/gpsimd_units.sv, gpsimd_result_pipe.sv, gpsimd_divider.sv): the places of
// results, not their values.
#pragma once

#include <array>
#include <cstdint>

#include "model/core/fast/decoded.hpp"
#include "model/core/fast/gpsimd_decode.hpp"

namespace trnsim::tlm::core_fast {

// The stages after a unit. A stage moves if a later one moves or is empty.
template <unsigned Stages>
class GpsimdResultPipe {
  public:
    bool idle() const { return valid_ == 0; }
    bool ready(bool taken) const { return taken || valid_ != All; }
    bool valid() const { return (valid_ >> (Stages - 1) & 1) != 0; }
    std::uint8_t dest() const { return dest_[Stages - 1]; }

    void edge(bool taken, bool enters, std::uint8_t dest) {
        if (idle() && !enters) return;
        // From the last stage to the first: each has room if the next one has moved.
        bool room = taken || !valid();
        for (unsigned k = Stages; k > 0; --k) {
            const unsigned stage = k - 1;
            room = stage + 1 == Stages ? room : room || (valid_ >> stage & 1) == 0;
            if (!room) continue;
            const bool comes = stage == 0 ? enters : (valid_ >> (stage - 1) & 1) != 0;
            valid_ = (valid_ & ~(1U << stage)) | std::uint32_t{comes} << stage;
            dest_[stage] = stage == 0 ? dest : dest_[stage - 1];
        }
    }

  private:
    static constexpr std::uint32_t All = (1U << Stages) - 1;
    std::uint32_t valid_ = 0;
    std::array<std::uint8_t, Stages> dest_{};
};

class GpsimdUnits {
  public:
    bool idle() const { return multiply_.idle() && float_.idle() && !dividing(); }

    // Returns whether the unit takes an instruction in this cycle. `vector`: the vector unit has the port.
    bool ready(GpsimdUnit unit, bool vector) const {
        switch (unit) {
            case GpsimdUnit::Multiply:
                return multiply_.ready(!vector && !divided() && !float_.valid());
            case GpsimdUnit::Divide:
                return !dividing();
            default:
                return float_.ready(!vector && !divided());
        }
    }
    // Returns the register that is written in this cycle, except by the vector unit; 0: none that matters.
    std::uint8_t dest() const {
        return divided() ? dest_ : float_.valid() ? float_.dest() : multiply_.valid() ? multiply_.dest() : 0;
    }

    // `entering`: the instruction that is handed over; null: none.
    void edge(const GpsimdDecoded* entering, bool vector) {
        const bool done = divided();
        const bool float_taken = !vector && !done, multiply_taken = float_taken && !float_.valid();
        const GpsimdUnit unit = entering != nullptr ? entering->unit : GpsimdUnit::Alu;
        const std::uint8_t dest = entering != nullptr ? entering->dest : 0;
        multiply_.edge(multiply_taken, unit == GpsimdUnit::Multiply, dest);
        float_.edge(float_taken, unit == GpsimdUnit::Float, dest);
        if (unit == GpsimdUnit::Divide) {
            constexpr std::uint32_t MajorOfIntegers = 0x33;
            const bool integers = (entering->insn & 0x7f) == MajorOfIntegers;
            left_ = figure(integers ? Figure::GpsimdDivideSteps : Figure::GpsimdFloatDivideSteps) + 2;
            dest_ = dest;
        } else if (done) {
            left_ = vector ? 1 : 0;
        } else if (left_ != 0) {
            --left_;
        }
    }

  private:
    // left_: edges until the divider is free; 1: the result is ready.
    bool dividing() const { return left_ != 0; }
    bool divided() const { return left_ == 1; }

    GpsimdResultPipe<figure(Figure::GpsimdMultiplyStages)> multiply_;
    GpsimdResultPipe<figure(Figure::GpsimdFloatStages)> float_;
    std::uint32_t left_ = 0;
    std::uint8_t dest_ = 0;
};

}  // namespace trnsim::tlm::core_fast
