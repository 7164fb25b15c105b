// The vector unit of a GpSimd core: an operation, a load and a store at a time, a beat of a register group of
// each in a cycle, and the hazards between them (rtl/gpsimd/gpsimd_vector.sv, gpsimd_voperands.sv,
// gpsimd_vdivider.sv). It has the places of registers, not their values.
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
    GpsimdVectorInstruction& next() { return instructions_[next_]; }

    // Whether a load and a store are taken in this cycle.
    struct Taken {
        bool load = false, store = false;
    };

    // Finds the actions of a cycle from the present registers.
    void settle(bool loads_done);
    bool ready(const Taken& taken) const;  // for next()
    bool idle() const { return state_ == State::Idle && memory_idle(); }
    // A scalar result in this cycle, and its register.
    bool result() const { return advances_ && scalar_result_; }
    std::uint8_t dest() const { return operation().decoded.dest; }
    // A load or store that is no stream
    bool memory_done() const { return load_.done() || store_.done(); }
    bool draining() const { return load_.draining() || store_.draining(); }
    const GpsimdVectorMemory& load() const { return load_; }
    const GpsimdVectorMemory& store() const { return store_; }

    // Returns the register that is complete once the requested load has its data; NoRegister: none.
    std::uint8_t closed() const {
        return static_cast<std::uint8_t>(load_.closes() ? load_.data_register() : NoRegister);
    }
    void arrive(std::uint8_t closed) {
        if (closed != NoRegister) arriving_ &= ~(1U << closed);
    }

    // `starts`: next() is handed over.
    void edge(bool starts, const Taken& taken);

    static constexpr std::uint8_t NoRegister = 32;

  private:
    static constexpr unsigned Registers = 32;
    static constexpr unsigned IntegerStages = figure(Figure::GpsimdVectorStages),
                              FloatStages = figure(Figure::GpsimdVectorFloatStages);
    enum class State : std::uint8_t { Idle, Run };
    enum class Divider : std::uint8_t { Idle, Load, Step, Done };

    struct Reads {
        unsigned x, y, z;
    };
    // Registers that are still to be used, one bit each.
    struct Uses {
        std::uint32_t writes = 0, all = 0;
    };
    Reads reads() const;
    Reads slide_reads() const;
    Uses uses() const;
    std::uint32_t vlmax() const;
    std::uint32_t narrower_x() const { return row().wide_x ? 0U : row().part + (row().wide_d ? 1U : 0U); }
    std::uint32_t narrower_d() const { return row().wide_x && !row().wide_d ? 1 : 0; }
    bool any_active() const;
    bool writes(unsigned& which) const;
    bool is(VectorKind kind) const { return row().kind == kind; }
    static bool chains(VectorKind kind);
    bool memory_idle() const { return load_.idle() && store_.idle() && arriving_ == 0; }
    bool stays() const { return state_ == State::Run && !(advances_ && last_); }
    const GpsimdVectorInstruction& operation() const { return instructions_[operation_]; }
    const VectorRow& row() const { return operation().decoded.row; }
    void settle_run(std::uint32_t in_flight, std::uint32_t load_registers, std::uint32_t store_registers);
    void edge_run();
    void edge_divider();
    void start_operation();

    std::uint32_t register_bytes_;
    unsigned byte_bits_;
    std::array<GpsimdVectorInstruction, 4> instructions_;
    unsigned next_ = 0, operation_ = 1, loading_ = 2, storing_ = 3;
    GpsimdVectorMemory load_, store_;

    State state_ = State::Idle;
    std::uint32_t vl_ = 0, width_ = 0;
    bool one_by_one_ = false, scalar_result_ = false, divides_ = false, slides_ = false, float_ = false;
    bool chains_ = false;
    std::uint32_t beat_ = 0;  // beat, or element for operations that go one by one
    std::uint32_t packed_ = 0;
    std::uint32_t wait_ = 0;
    std::array<std::uint32_t, FloatStages> in_flight_{};  // registers, by cycles left minus one
    std::uint32_t own_ = 0;                               // registers that this operation has written
    std::uint32_t arriving_ = 0;                          // registers that a load has asked data for
    Divider divider_ = Divider::Idle;
    std::uint32_t pass_ = 0, left_ = 0;

    // The later of two instructions stays so until the earlier one is done.
    bool operation_after_load_ = false, operation_after_store_ = false, load_after_operation_ = false,
         load_after_store_ = false, store_after_operation_ = false, store_after_load_ = false;

    // State of the current cycle.
    bool blocked_ = false, advances_ = false, last_ = false, nothing_ = false;
    Reads now_{};
};

}  // namespace trnsim::tlm::core_fast
