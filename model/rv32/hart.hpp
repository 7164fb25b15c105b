// A GpSimd core as an instruction-set simulator: RV32IMF, Zve32f, Zicsr, Zifencei in machine mode
// (docs/gpsimd.md), instruction by instruction and without time.
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

// The slice of SBUF of a core. Words beyond a partition's end and of absent partitions read 0 and are not
// written.
struct Slice {
    std::uint8_t* data = nullptr;       // the core's partition 0; the others follow
    std::uint32_t partition_bytes = 0;  // a multiple of 4
    std::uint32_t partitions = 0;       // 16 at most
    std::size_t pitch = 0;              // bytes from a partition to the next; 0: partition_bytes
    // One byte for each word, in the order of `data`, or null: bits 3:0 are set for bytes that are read
    // before they are written, bits 7:4 for bytes that are written.
    std::uint8_t* touched = nullptr;
};

// The external interrupt: mie (bit 11), mstatus.MIE, mtvec.
struct Interrupts {
    bool enabled = false, taken = false;
    std::uint32_t vector = 0;
};

// The vector CSRs that a vector instruction uses.
struct VectorState {
    std::uint32_t vl = 0, vstart = 0;
    std::uint32_t sew = 0;  // log2 of the bytes of an element
    int lmul = 0;           // log2
};

enum class Stop : std::uint8_t {
    Limit,      // it has run the requested number of instructions, traps among them
    Waiting,    // in wfi, without an interrupt
    NoHandler,  // two traps at one address with nothing executed between: the handler cannot be executed
};

class Hart {
  public:
    // Throws std::invalid_argument for unsupported sizes.
    explicit Hart(const Sizes& sizes = {});
    ~Hart();
    Hart(const Hart&) = delete;
    Hart& operator=(const Hart&) = delete;

    void attach(const Slice& slice);

    // Writes the TCM and forgets decoded instructions there. Throws std::out_of_range outside the TCM.
    void write_tcm(std::uint32_t address, std::span<const std::uint8_t> bytes);
    std::span<const std::uint8_t> tcm() const;

    // Makes the next run() begin at `pc`. Registers stay as they are.
    void start(std::uint32_t pc);
    // Sets the level of the external interrupt.
    void interrupt(bool level);
    Stop run(std::uint64_t most);
    // Does the same as run(1). Without `floats` the host's floating-point environment is not set up, which is
    // quicker; this is not allowed for floating-point arithmetic and for accesses to CSRs.
    Stop step(bool floats);
    // Continues after the next instruction, a wfi that the caller has seen end; it is retired.
    void end_wait();
    // Advances mcycle.
    void pass(std::uint64_t cycles);

    std::uint32_t pc() const;
    std::uint64_t retired() const;  // instructions since construction
    std::uint32_t x(std::uint32_t index) const;
    std::uint32_t f(std::uint32_t index) const;
    std::span<const std::uint8_t> v(std::uint32_t index) const;
    Interrupts interrupts() const;
    VectorState vector_state() const;
    // Throws std::out_of_range for a CSR that does not exist.
    std::uint32_t csr(std::uint32_t number) const;

    // Set registers between two runs. Throw std::out_of_range for a register that does not exist.
    void set_x(std::uint32_t index, std::uint32_t value);
    void set_f(std::uint32_t index, std::uint32_t value);
    // `bytes` has the size of v().
    void set_v(std::uint32_t index, std::span<const std::uint8_t> bytes);
    // Sets what csr() returns; this includes vl and vtype, which no instruction writes. Other CSRs that no
    // instruction writes stay as they are.
    void set_csr(std::uint32_t number, std::uint32_t value);

  private:
    Stop execute(std::uint64_t most);
    std::unique_ptr<State> state_;
};

}  // namespace trnsim::rv32
