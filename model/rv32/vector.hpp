// Rows of vector arithmetic, and the shared parts of its loops.
#pragma once

#include <array>
#include <span>
#include <type_traits>

#include "model/rv32/state.hpp"

namespace trnsim::rv32 {

// The kind decides which registers and masks are legal.
enum class Kind : std::uint8_t {
    Elements,   // element by element
    Reduce,     // to element 0 of vd
    MaskLogic,  // bits of mask registers; also moves between element 0 and scalar registers
    MaskSet,    // vmsbf, vmsif, vmsof
    Iota,
    Id,
    Count,    // vcpop, vfirst
    SlideUp,  // also gathers by a scalar
    SlideDown,
    Gather,
    Gather16,  // indices of 16 bits
    Compress,
    MoveRegisters,
};

enum Shape : std::uint8_t {
    Plain = 0,
    WideD = 1,      // vd has elements of twice SEW
    WideX = 2,      // vs2 has elements of twice SEW
    MaskD = 4,      // vd is a mask
    Masked = 8,     // v0 is an operand: there is no form with vm = 1
    Unmasked = 16,  // there is no form with vm = 0
    Half = 32,      // vs2 has elements of half of SEW
    Quarter = 64,   // vs2 has elements of a quarter of SEW
};

// Kernels by SEW; null if there is none for it.
using Kernels = std::array<Kernel, 3>;

struct VectorRow {
    char category;  // I, M, F: OPI, OPM, OPF
    std::uint8_t funct6;
    Kind kind;
    std::uint8_t shape;
    Kernels v;  // .vv, and instructions with a code in vs1
    Kernels x;  // .vx, .vf and, if `immediate` is not None, .vi
    enum Immediate : std::uint8_t { None, Signed, Unsigned } immediate = None;
    int vs1 = -1;  // a code, or -1 for any register
    int vs2 = -1;
};

std::span<const VectorRow> vector_integer_rows();
std::span<const VectorRow> vector_wide_rows();
std::span<const VectorRow> vector_fixed_rows();
std::span<const VectorRow> vector_float_rows();
std::span<const VectorRow> vector_mask_rows();
std::span<const VectorRow> vector_move_rows();

// Returns whether registers and mask are legal for the row under the state's vtype.
bool registers_legal(const State& state, const Op& op, const VectorRow& row, bool vector_y);

Op* vector_load(State& state, Op* op);
Op* vector_store(State& state, Op* op);

// A group of registers that holds an operand. `width`: log2 of the bits of elements, minus 2; 0 for a mask.
struct Group {
    std::uint32_t first;
    int lmul;  // log2
    int width;

    std::uint32_t registers() const { return lmul <= 0 ? 1 : 1U << lmul; }
    bool is_aligned() const { return lmul >= -3 && lmul <= 3 && first % registers() == 0; }
};
bool are_disjoint(const Group& a, const Group& b);
// Returns whether the groups may overlap: a destination of wider elements may overlap the upper registers of
// a source, one of narrower elements the lower ones.
bool may_overlap(const Group& destination, const Group& source);

// Integers of 1, 2, 4 and 8 bytes, by the log2 of the bytes.
template <int Log, bool IsSigned>
using Int = std::conditional_t<
    Log == 0, std::conditional_t<IsSigned, std::int8_t, std::uint8_t>,
    std::conditional_t<Log == 1, std::conditional_t<IsSigned, std::int16_t, std::uint16_t>,
                       std::conditional_t<Log == 2, std::conditional_t<IsSigned, std::int32_t, std::uint32_t>,
                                          std::conditional_t<IsSigned, std::int64_t, std::uint64_t>>>>;

// An operation without state of its own.
struct Stateless {
    explicit Stateless(State&) {}
    static void finish(State&) {}
};

// vd[i] = F(vs2[i], vs1[i] or the scalar, vd[i]).
template <class D, class X, class Y, class F, bool Scalar>
void elements(State& s, const Op& op) {
    D* const d = s.group<D>(op.rd);
    const X* const x = s.group<X>(op.rs2);
    const Y* const y = s.group<Y>(op.rs1);
    const Y scalar = static_cast<Y>(s.scalar);
    const std::uint32_t length = s.vl;
    F f(s);
    if (op.masked()) {
        for (std::uint32_t i = 0; i < length; ++i)
            if (s.active(i)) d[i] = f(x[i], Scalar ? scalar : y[i], d[i]);
    } else {
        for (std::uint32_t i = 0; i < length; ++i) d[i] = f(x[i], Scalar ? scalar : y[i], d[i]);
    }
    f.finish(s);
}

// Collects the bits of a result; those of active elements go to mask register vd.
class MaskResult {
  public:
    std::uint8_t& operator[](std::uint32_t element) { return bits_[element]; }
    void write(State& s, const Op& op, bool masked) const {
        std::uint8_t* const d = s.group<std::uint8_t>(op.rd);
        for (std::uint32_t i = 0; i < s.vl; i += 8) {
            std::uint32_t value = 0, keep = 0;
            for (std::uint32_t k = 0; k < 8; ++k) {
                value |= static_cast<std::uint32_t>(bits_[i + k]) << k;
                keep |= static_cast<std::uint32_t>(i + k >= s.vl) << k;
            }
            if (masked) keep |= static_cast<std::uint8_t>(~s.v[i / 8]);
            d[i / 8] = static_cast<std::uint8_t>((value & ~keep) | (d[i / 8] & keep));
        }
    }

  private:
    std::array<std::uint8_t, 1024> bits_{};  // 0 or 1
};

}  // namespace trnsim::rv32
