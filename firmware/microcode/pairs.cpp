// Operations on pairs of bf16 elements: a word of a partition has two neighbours. Both become fp32, the result of
// each rounds to nearest even, and the two fill a word again.
#include "firmware/microcode/alu.hpp"
#include "firmware/microcode/vectors.hpp"

namespace trnsim::firmware {

namespace {

// Returns the lower elements of the pairs in the lower half of a group, the upper ones in the other half.
Floats numbers(HalfBits pairs, size_t vl) {
    return as_floats(
        __riscv_vcreate_v_u32m4_u32m8(__riscv_vsll(pairs, 16, vl), __riscv_vand(pairs, 0xffff0000, vl)));
}

// No operation here returns a NaN other than the canonical one, so none is lost by rounding.
HalfBits rounded(Floats numbers, size_t vl) {
    const Bits bits = rounded_half(as_bits(numbers), GroupWords);
    const HalfBits lower = __riscv_vget_v_u32m8_u32m4(bits, 0), upper = __riscv_vget_v_u32m8_u32m4(bits, 1);
    return __riscv_vmacc(lower, 0x10000, upper, vl);
}

// Computes `count` half groups of `words` words each. The next pairs are loaded while the operation works, those of
// `b` only after those of `a`: a load that waits for the one before it lets no operation pass. Pointers and the count
// step during the operation, too. The last pairs are loaded twice, so that the loop has one way.
template <bool Constant, auto Op>
void pairs(uint32_t* dst, const uint32_t* a, const uint32_t* b, size_t count, size_t words) {
    const size_t vl = half_lanes(words);
    set_rounding();
    HalfBits x_pairs = load_half(a, vl), y_pairs = load_half(b, vl);
    const Floats constant = as_floats(__riscv_vcreate_v_u32m4_u32m8(y_pairs, y_pairs));
    dst -= HalfWords;
    size_t step = count > 1 ? HalfWords : 0;
    do {
        Floats x = numbers(x_pairs, vl), y = constant;
        a += step;
        asm volatile("" : "+vr"(x), "+r"(a));
        x_pairs = load_half(a, vl);
        if constexpr (!Constant) {
            y = numbers(y_pairs, vl);
            b += step;
            asm volatile("" : "+vr"(y), "+r"(b));
            y_pairs = load_half(b, vl);
        }
        Floats result = Op(x, y, GroupWords);
        dst += HalfWords;
        step = --count > 1 ? HalfWords : 0;
        asm volatile("" : "+vr"(result), "+r"(dst), "+r"(count), "+r"(step));
        store(dst, rounded(result, vl), vl);
    } while (count != 0);
}

template <auto Op>
void loop(uint32_t* dst, Stream a, Stream b, size_t groups, size_t words) {
    b.step == 0 ? pairs<true, Op>(dst, a.words, b.words, groups, words)
                : pairs<false, Op>(dst, a.words, b.words, groups, words);
}

using F = Floats;
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
