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

// A vector load or store, decoded with the vl and vtype that it uses.
struct GpsimdVectorAccess {
    bool strided = false, indexed = false, fault_first = false, store = false;
    std::uint32_t width = 0, index_width = 0;  // log2 of bytes
    std::uint32_t fields = 0;                  // fields minus one
    std::uint32_t registers = 0;               // registers of a field
    std::uint32_t length = 0;                  // elements
    bool streams = false;                      // unit-stride accesses that cannot trap
};

// An instruction of the vector unit with its operands, from before it took effect.
struct GpsimdVectorInstruction {
    GpsimdDecoded decoded;
    std::uint32_t vl = 0, vstart = 0;
    std::uint32_t sew = 0;                 // log2 of the bytes of an element
    int lmul = 0;                          // log2
    std::uint32_t scalar = 0, stride = 0;  // rs1, f1 or the immediate; rs2
    GpsimdVectorAccess access;             // of loads and stores
    std::array<std::uint8_t, 128> mask{};  // v0 of masked instructions; vs1 of vcompress
    // Indices: the first ones of vrgather, all of loads and stores.
    std::array<std::uint8_t, 1024> index{};

    bool active(std::uint32_t element) const { return (mask[element / 8] >> element % 8 & 1) != 0; }
    std::uint32_t index_at(std::uint32_t element, std::uint32_t width) const;
};

// Decodes a load or store into its `access`.
void decode_vector_access(GpsimdVectorInstruction& instruction, std::uint32_t register_bytes);

// Returns a bit for each register from `first` to `last`, numbers modulo 32.
inline std::uint32_t gpsimd_registers_between(std::uint32_t first, std::uint32_t last) {
    return ~std::uint32_t{0} << first % 32 & ~(~std::uint32_t{1} << last % 32);
}

// The loads, or the stores.
class GpsimdVectorMemory {
  public:
    explicit GpsimdVectorMemory(std::uint32_t register_bytes) : register_bytes_(register_bytes) {}

    // Starts the instruction that the vector unit has taken; it stays where it is until the next start.
    void start(const GpsimdVectorInstruction& instruction);

    // Finds the next access from the present registers, and then, once it is known whether the access has to
    // wait, the request.
    void settle(bool loads_done);
    void settle_request(bool blocked);

    bool idle() const { return state_ == State::Idle; }
    bool done() const { return done_; }  // of an instruction that is no stream
    bool draining() const { return state_ == State::Drain; }
    // Returns whether a stream ends with this cycle.
    bool finishes(bool taken) const { return running() && access().streams && last_ && advances(taken); }
    GpsimdRequest request() const { return request_; }
    bool in_tcm() const { return in_gpsimd_tcm(address_); }

    // The registers of the next access, and of all that are still to come; the latter are those of a stream.
    unsigned index_register() const;
    unsigned data_register() const;
    std::uint32_t registers() const;
    bool indexed() const { return access().indexed; }
    bool masked() const { return instruction_->decoded.masked(); }
    bool opens() const { return access().streams && place() == 0; }
    bool closes() const { return access().streams && (last_ || place() + bytes_ == register_bytes_); }
    // Returns whether the next access has bytes in common with those that are still to come of the other.
    bool overlaps(const GpsimdVectorMemory& other) const {
        return address_ <= other.end_ && other.address_ <= address_ + bytes_ - 1;
    }

    void edge(bool taken);

  private:
    enum class State : std::uint8_t { Idle, Run, Drain };

    const GpsimdVectorAccess& access() const { return instruction_->access; }
    std::uint32_t place() const { return (element_ << access().width) % register_bytes_; }
    bool running() const { return state_ == State::Run && !blocked_ && element_ < access().length; }
    bool advances(bool taken) const { return !(any_ && fault_) && (!any_ || taken); }

    const GpsimdVectorInstruction* instruction_ = nullptr;
    std::uint32_t register_bytes_;
    std::uint32_t end_ = 0;  // address of the last byte of a stream

    State state_ = State::Idle;
    std::uint32_t element_ = 0, field_ = 0;

    // State of the current cycle.
    GpsimdRequest request_;
    std::uint32_t address_ = 0, bytes_ = 0, count_ = 0;
    bool any_ = false, fault_ = false, last_ = false, blocked_ = false, done_ = false;
};

}  // namespace trnsim::tlm::core_fast
