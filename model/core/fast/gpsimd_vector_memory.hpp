// Vector loads and stores of a GpSimd core as a sequence of accesses within a beat
// (rtl/gpsimd/gpsimd_vmem.sv).
#pragma once

#include <array>
#include <cstdint>

#include "firmware/include/trnsim/memory_map.h"
#include "model/core/fast/gpsimd_decode.hpp"

namespace trnsim::tlm::core_fast {

inline bool in_gpsimd_tcm(std::uint32_t address) {
    return address - TRNSIM_TCM_BASE < TRNSIM_TCM_BYTES;
}
inline bool in_gpsimd_slice(std::uint32_t address) {
    return address - TRNSIM_SLICE_BASE < TRNSIM_SLICE_PARTITIONS * TRNSIM_PARTITION_BYTES;
}

// A request for a memory access.
struct GpsimdRequest {
    bool valid = false, store = false, tcm = false;
};

// An instruction of the vector unit with its operands, from before it took effect.
struct GpsimdVectorInstruction {
    GpsimdDecoded decoded;
    std::uint32_t vl = 0, vstart = 0;
    std::uint32_t sew = 0;                 // log2 of the bytes of an element
    int lmul = 0;                          // log2
    std::uint32_t scalar = 0, stride = 0;  // rs1, f1 or the immediate; rs2
    std::array<std::uint8_t, 128> mask{};  // v0 of masked instructions; vs1 of vcompress
    // Indices: the first ones of vrgather, all of loads and stores.
    std::array<std::uint8_t, 1024> index{};

    bool active(std::uint32_t element) const { return (mask[element / 8] >> element % 8 & 1) != 0; }
    std::uint32_t index_at(std::uint32_t element, std::uint32_t width) const;
};

class GpsimdVectorMemory {
  public:
    explicit GpsimdVectorMemory(std::uint32_t register_bytes) : register_bytes_(register_bytes) {}

    // Starts the instruction that the vector unit has taken.
    void start(const GpsimdVectorInstruction& instruction);
    unsigned index_register() const;
    unsigned data_register() const;

    // Finds the actions of a cycle from the present registers.
    void settle(bool blocked, bool loads_done);
    GpsimdRequest request() const { return request_; }
    bool done() const { return done_; }
    bool draining() const { return state_ == State::Drain; }
    void edge(bool blocked, bool taken);

  private:
    enum class State : std::uint8_t { Idle, Run, Drain };

    const GpsimdVectorInstruction* instruction_ = nullptr;
    std::uint32_t register_bytes_;
    bool strided_ = false, indexed_ = false, fault_first_ = false, store_ = false;
    std::uint32_t width_ = 0, index_width_ = 0;  // log2 of bytes
    std::uint32_t fields_ = 0;                   // fields minus one
    std::uint32_t registers_ = 0;                // registers of a field
    std::uint32_t length_ = 0;                   // elements

    State state_ = State::Idle;
    std::uint32_t element_ = 0, field_ = 0;

    // State of the current cycle.
    GpsimdRequest request_;
    std::uint32_t count_ = 0;
    bool any_ = false, fault_ = false, done_ = false;
};

}  // namespace trnsim::tlm::core_fast
