// A GpSimd core as an instruction-set simulator: RV32IMF, Zve32f, Zicsr, Zifencei in machine mode, as docs/gpsimd.md describes it,
// instruction by instruction and without time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>

#include "firmware/include/trnsim/memory_map.h"

namespace trnsim::rv32 {

struct State;

struct Sizes {
    std::uint32_t vlen = 512;  // bits of a vector register: a power of two from 128 to 1024
    std::uint32_t tcm_bytes = TRNSIM_TCM_BYTES;
    std::uint32_t slice_partition_bytes =
        TRNSIM_PARTITION_BYTES;  // in the address map; a slice has 16 partitions
    std::uint32_t hart_id = 0;
};

// SBUF behind the slice of a core. Words beyond a partition's end and of partitions that do not exist read 0 and are not written.
struct Slice {
    std::uint8_t* data = nullptr;       // of the core's partition 0; the partitions follow each other
    std::uint32_t partition_bytes = 0;  // a multiple of 4
    std::uint32_t partitions = 0;       // 16 at most
    std::size_t pitch = 0;              // bytes from a partition to the next; 0: partition_bytes
    // A byte for each word, in the order of `data`, or null: bits 3:0 are set for the bytes that are read before they are written,
    // bits 7:4 for those that are written.
    std::uint8_t* touched = nullptr;
};

// The external interrupt: mie (bit 11), mstatus.MIE, mtvec.
struct Interrupts {
    bool enabled = false, taken = false;
    std::uint32_t vector = 0;
};

// What a vector instruction takes along.
struct VectorState {
    std::uint32_t vl = 0, vstart = 0;
    std::uint32_t sew = 0;  // log2 of the bytes of an element
    int lmul = 0;           // log2
};

enum class Stop : std::uint8_t {
    Limit,    // as many instructions as asked for, traps among them
    Waiting,  // in wfi, without an interrupt
    NoHandler,  // it trapped twice at one address with nothing executed between: its trap handler cannot be executed
};

class Hart {
  public:
    // Throws std::invalid_argument for sizes that there are not.
    explicit Hart(const Sizes& sizes = {});
    ~Hart();
    Hart(const Hart&) = delete;
    Hart& operator=(const Hart&) = delete;

    void attach(const Slice& slice);

    // Decoded instructions of what is written are forgotten. Throws std::out_of_range outside the TCM.
    void write_tcm(std::uint32_t address, std::span<const std::uint8_t> bytes);
    std::span<const std::uint8_t> tcm() const;

    // The next run() begins at `pc`. Registers stay as they are.
    void start(std::uint32_t pc);
    // The level of the external interrupt.
    void interrupt(bool level);
    Stop run(std::uint64_t most);
    // As run(1). Without `floats` the host's floating-point environment stays as it is, which is quicker: not for arithmetic on floats
    // nor for accesses to CSRs.
    Stop step(bool floats);
    // Goes on behind the next instruction, a wfi that the caller has seen end; it is retired.
    void end_wait();
    // mcycle is so much further on.
    void pass(std::uint64_t cycles);

    std::uint32_t pc() const;
    std::uint64_t retired() const;  // instructions since construction
    std::uint32_t x(std::uint32_t index) const;
    std::uint32_t f(std::uint32_t index) const;
    std::span<const std::uint8_t> v(std::uint32_t index) const;
    Interrupts interrupts() const;
    VectorState vector_state() const;
    // Throws std::out_of_range for one that does not exist.
    std::uint32_t csr(std::uint32_t number) const;

    // Between two runs. Throw std::out_of_range for a register that does not exist.
    void set_x(std::uint32_t index, std::uint32_t value);
    void set_f(std::uint32_t index, std::uint32_t value);
    // As many bytes as v() has.
    void set_v(std::uint32_t index, std::span<const std::uint8_t> bytes);
    // What csr() gives from then on, also of those that no instruction writes: vl and vtype; others that none does stay as they are.
    void set_csr(std::uint32_t number, std::uint32_t value);

  private:
    Stop execute(std::uint64_t most);
    std::unique_ptr<State> state_;
};

}  // namespace trnsim::rv32
