// Operations on pairs of bf16 elements: a word of a partition has two neighbours. Both become fp32, the result of
// each rounds to nearest even, and the two fill a word again.
#include "firmware/microcode/alu.hpp"
#include "firmware/microcode/vectors.hpp"

namespace trnsim::firmware {

namespace {

HalfFloats lower_of(HalfBits pairs, size_t vl) {
    return as_floats(__riscv_vsll(pairs, 16, vl));
}
HalfFloats upper_of(HalfBits pairs, size_t vl) {
    return as_floats(__riscv_vand(pairs, 0xffff0000, vl));
}

// No operation here returns a NaN other than the canonical one, so none is lost by rounding.
HalfBits rounded(HalfFloats number, size_t vl) {
    return __riscv_vssrl(as_bits(number), 16, __RISCV_VXRM_RNE, vl);
}

// Computes `count` half groups of `words` words each. The next pairs are loaded while the operation works; the last
// ones are loaded twice, so that the loop has one way.
template <bool Constant, auto Op>
void pairs(uint32_t* dst, const uint32_t* a, const uint32_t* b, size_t count, size_t words) {
    const size_t vl = half_lanes(words);
    HalfBits x = load_half(a, vl), y = load_half(b, vl);
    for (;;) {
        const HalfFloats x_lower = lower_of(x, vl), x_upper = upper_of(x, vl);
        const HalfFloats y_lower = Constant ? as_floats(y) : lower_of(y, vl);
        const HalfFloats y_upper = Constant ? as_floats(y) : upper_of(y, vl);
        const size_t step = count > 1 ? HalfWords : 0;
        a += step;
        x = load_half(a, vl);
        if constexpr (!Constant) {
            b += step;
            y = load_half(b, vl);
        }
        const HalfFloats lower = Op(x_lower, y_lower, vl), upper = Op(x_upper, y_upper, vl);
        store(dst, __riscv_vmacc(rounded(lower, vl), 0x10000, rounded(upper, vl), vl), vl);
        if (--count == 0) return;
        dst += HalfWords;
    }
}

template <auto Op>
void loop(uint32_t* dst, Stream a, Stream b, size_t groups, size_t words) {
    b.step == 0 ? pairs<true, Op>(dst, a.words, b.words, groups, words)
                : pairs<false, Op>(dst, a.words, b.words, groups, words);
}

using F = HalfFloats;
using N = size_t;

struct Row {
    AluOp op;
    AluLoop loop;
};
constexpr Row Rows[] = {
    {AluOp::Add, loop<[](F a, F b, N vl) { return __riscv_vfadd(a, b, vl); }>},
    {AluOp::Subtract, loop<[](F a, F b, N vl) { return __riscv_vfsub(a, b, vl); }>},
    {AluOp::Multiply, loop<[](F a, F b, N vl) { return __riscv_vfmul(a, b, vl); }>},
    {AluOp::Max, loop<[](F a, F b, N vl) { return __riscv_vfmax(a, b, vl); }>},
    {AluOp::Min, loop<[](F a, F b, N vl) { return __riscv_vfmin(a, b, vl); }>},
    {AluOp::Relu, loop<[](F a, F, N vl) { return __riscv_vfmax(a, 0.0F, vl); }>},
};

}  // namespace

AluLoop pair_loop(AluOp op) {
    for (const Row& row : Rows) {
        if (row.op == op) return row.loop;
    }
    return nullptr;
}

}  // namespace trnsim::firmware
