#include "firmware/microcode/alu.hpp"

#include "firmware/microcode/vectors.hpp"

namespace trnsim::firmware {

namespace {

// An operand that does not step stays in its registers. The pointers step while the operation is under way,
// because the store waits for the operation anyway.
template <class V, auto Op>
void loop(uint32_t* dst, Stream a, Stream b, size_t words) {
    size_t vl = lanes(words);
    V x = load<V>(a.words, vl), y = load<V>(b.words, vl);
    for (;;) {
        V result = Op(x, y, vl);
        uint32_t* to = dst;
        dst += GroupWords;
        a.words += a.step;
        b.words += b.step;
        asm("" : "+vr"(result), "+r"(dst), "+r"(a.words), "+r"(b.words));
        store(to, result, vl);
        if (words <= GroupWords) return;
        words -= GroupWords;
        vl = lanes(words);
        if (a.step != 0) x = load<V>(a.words, vl);
        if (b.step != 0) y = load<V>(b.words, vl);
    }
}

using N = size_t;
template <auto Op>
constexpr AluLoop ints = loop<Ints, Op>;
template <auto Op>
constexpr AluLoop bits = loop<Bits, Op>;
template <auto Op>
constexpr AluLoop floats = loop<Floats, Op>;

Ints truth(Mask mask, size_t vl) {
    return __riscv_vmerge(__riscv_vmv_v_x_i32m8(0, vl), 1, mask, vl);
}
Floats truth_float(Mask mask, size_t vl) {
    return __riscv_vfmerge(__riscv_vfmv_v_f_f32m8(0, vl), 1.0F, mask, vl);
}
Mask is_true(Ints v, size_t vl) {
    return __riscv_vmsne(v, 0, vl);
}
Mask is_true(Floats v, size_t vl) {
    return __riscv_vmfne(v, 0.0F, vl);
}
Ints magnitude(Ints v, size_t vl) {
    return __riscv_vmax(v, __riscv_vneg(v, vl), vl);
}
Floats magnitude(Floats v, size_t vl) {
    return __riscv_vfabs(v, vl);
}
Bits shifted(Bits result, Bits amount, size_t vl) {
    return __riscv_vmerge(result, 0, __riscv_vmsgtu(amount, 31, vl), vl);
}

constexpr uint32_t Operations = static_cast<uint32_t>(AluOp::Relu) + 1;

constexpr AluLoop Bypass = bits<[](Bits a, Bits, N) { return a; }>;

// In the order of AluOp
constexpr AluLoop SignedLoops[] = {
    Bypass,
    ints<[](Ints a, Ints b, N vl) { return __riscv_vadd(a, b, vl); }>,
    ints<[](Ints a, Ints b, N vl) { return __riscv_vsub(a, b, vl); }>,
    ints<[](Ints a, Ints b, N vl) { return __riscv_vmul(a, b, vl); }>,
    ints<[](Ints a, Ints b, N vl) { return __riscv_vmax(a, b, vl); }>,
    ints<[](Ints a, Ints b, N vl) { return __riscv_vmin(a, b, vl); }>,
    ints<[](Ints a, Ints b, N vl) { return truth(__riscv_vmseq(a, b, vl), vl); }>,
    ints<[](Ints a, Ints b, N vl) { return truth(__riscv_vmsne(a, b, vl), vl); }>,
    ints<[](Ints a, Ints b, N vl) { return truth(__riscv_vmsgt(a, b, vl), vl); }>,
    ints<[](Ints a, Ints b, N vl) { return truth(__riscv_vmsge(a, b, vl), vl); }>,
    ints<[](Ints a, Ints b, N vl) { return truth(__riscv_vmslt(a, b, vl), vl); }>,
    ints<[](Ints a, Ints b, N vl) { return truth(__riscv_vmsle(a, b, vl), vl); }>,
    ints<[](Ints a, Ints b, N vl) { return truth(__riscv_vmand(is_true(a, vl), is_true(b, vl), vl), vl); }>,
    ints<[](Ints a, Ints b, N vl) { return truth(__riscv_vmor(is_true(a, vl), is_true(b, vl), vl), vl); }>,
    ints<[](Ints a, Ints b, N vl) { return truth(__riscv_vmxor(is_true(a, vl), is_true(b, vl), vl), vl); }>,
    ints<[](Ints a, Ints, N vl) { return truth(__riscv_vmseq(a, 0, vl), vl); }>,
    ints<[](Ints a, Ints b, N vl) { return __riscv_vand(a, b, vl); }>,
    ints<[](Ints a, Ints b, N vl) { return __riscv_vor(a, b, vl); }>,
    ints<[](Ints a, Ints b, N vl) { return __riscv_vxor(a, b, vl); }>,
    ints<[](Ints a, Ints, N vl) { return __riscv_vnot(a, vl); }>,
    bits<[](Bits a, Bits b, N vl) { return shifted(__riscv_vsll(a, b, vl), b, vl); }>,
    bits<[](Bits a, Bits b, N vl) { return shifted(__riscv_vsrl(a, b, vl), b, vl); }>,
    ints<[](Ints a, Ints, N vl) { return magnitude(a, vl); }>,
    nullptr,  // reciprocal
    nullptr,  // rsqrt
    nullptr,  // power
    bits<[](Bits a, Bits b, N vl) {
        return __riscv_vmaxu(as_bits(magnitude(as_ints(a), vl)), as_bits(magnitude(as_ints(b), vl)), vl);
    }>,
    bits<[](Bits a, Bits b, N vl) {
        return __riscv_vminu(as_bits(magnitude(as_ints(a), vl)), as_bits(magnitude(as_ints(b), vl)), vl);
    }>,
    ints<[](Ints a, Ints, N vl) { return __riscv_vmul(a, a, vl); }>,
    ints<[](Ints a, Ints, N vl) { return __riscv_vmax(a, 0, vl); }>,
};
static_assert(sizeof(SignedLoops) / sizeof(AluLoop) == Operations);

// Operations that differ for unsigned numbers
struct Unsigned {
    AluOp op;
    AluLoop loop;
};
constexpr AluLoop MaxUnsigned = bits<[](Bits a, Bits b, N vl) { return __riscv_vmaxu(a, b, vl); }>;
constexpr AluLoop MinUnsigned = bits<[](Bits a, Bits b, N vl) { return __riscv_vminu(a, b, vl); }>;
constexpr Unsigned UnsignedLoops[] = {
    {AluOp::Max, MaxUnsigned},
    {AluOp::Min, MinUnsigned},
    {AluOp::Greater, bits<[](Bits a, Bits b, N vl) { return as_bits(truth(__riscv_vmsgtu(a, b, vl), vl)); }>},
    {AluOp::GreaterEqual,
     bits<[](Bits a, Bits b, N vl) { return as_bits(truth(__riscv_vmsgeu(a, b, vl), vl)); }>},
    {AluOp::Less, bits<[](Bits a, Bits b, N vl) { return as_bits(truth(__riscv_vmsltu(a, b, vl), vl)); }>},
    {AluOp::LessEqual,
     bits<[](Bits a, Bits b, N vl) { return as_bits(truth(__riscv_vmsleu(a, b, vl), vl)); }>},
    {AluOp::Abs, Bypass},
    {AluOp::AbsMax, MaxUnsigned},
    {AluOp::AbsMin, MinUnsigned},
    {AluOp::Relu, Bypass},
};

constexpr AluLoop FloatLoops[] = {
    Bypass,
    floats<[](Floats a, Floats b, N vl) { return __riscv_vfadd(a, b, vl); }>,
    floats<[](Floats a, Floats b, N vl) { return __riscv_vfsub(a, b, vl); }>,
    floats<[](Floats a, Floats b, N vl) { return __riscv_vfmul(a, b, vl); }>,
    floats<[](Floats a, Floats b, N vl) { return __riscv_vfmax(a, b, vl); }>,
    floats<[](Floats a, Floats b, N vl) { return __riscv_vfmin(a, b, vl); }>,
    floats<[](Floats a, Floats b, N vl) { return truth_float(__riscv_vmfeq(a, b, vl), vl); }>,
    floats<[](Floats a, Floats b, N vl) { return truth_float(__riscv_vmfne(a, b, vl), vl); }>,
    floats<[](Floats a, Floats b, N vl) { return truth_float(__riscv_vmfgt(a, b, vl), vl); }>,
    floats<[](Floats a, Floats b, N vl) { return truth_float(__riscv_vmfge(a, b, vl), vl); }>,
    floats<[](Floats a, Floats b, N vl) { return truth_float(__riscv_vmflt(a, b, vl), vl); }>,
    floats<[](Floats a, Floats b, N vl) { return truth_float(__riscv_vmfle(a, b, vl), vl); }>,
    floats<[](Floats a, Floats b, N vl) {
        return truth_float(__riscv_vmand(is_true(a, vl), is_true(b, vl), vl), vl);
    }>,
    floats<[](Floats a, Floats b, N vl) {
        return truth_float(__riscv_vmor(is_true(a, vl), is_true(b, vl), vl), vl);
    }>,
    floats<[](Floats a, Floats b, N vl) {
        return truth_float(__riscv_vmxor(is_true(a, vl), is_true(b, vl), vl), vl);
    }>,
    floats<[](Floats a, Floats, N vl) { return truth_float(__riscv_vmfeq(a, 0.0F, vl), vl); }>,
    nullptr,  // and
    nullptr,  // or
    nullptr,  // xor
    nullptr,  // not
    nullptr,  // shifts
    nullptr,
    floats<[](Floats a, Floats, N vl) { return magnitude(a, vl); }>,
    floats<[](Floats a, Floats, N vl) { return __riscv_vfrdiv(a, 1.0F, vl); }>,
    floats<[](Floats a, Floats, N vl) { return __riscv_vfrdiv(__riscv_vfsqrt(a, vl), 1.0F, vl); }>,
    power,
    floats<[](Floats a, Floats b, N vl) { return __riscv_vfmax(magnitude(a, vl), magnitude(b, vl), vl); }>,
    floats<[](Floats a, Floats b, N vl) { return __riscv_vfmin(magnitude(a, vl), magnitude(b, vl), vl); }>,
    floats<[](Floats a, Floats, N vl) { return __riscv_vfmul(a, a, vl); }>,
    floats<[](Floats a, Floats, N vl) { return __riscv_vfmax(a, 0.0F, vl); }>,
};
static_assert(sizeof(FloatLoops) / sizeof(AluLoop) == Operations);

AluLoop find(const AluLoop (&loops)[Operations], AluOp op) {
    const auto code = static_cast<uint32_t>(op);
    return code < Operations ? loops[code] : nullptr;
}

}  // namespace

AluLoop signed_loop(AluOp op) {
    return find(SignedLoops, op);
}

AluLoop unsigned_loop(AluOp op) {
    for (const Unsigned& row : UnsignedLoops) {
        if (row.op == op) return row.loop;
    }
    return find(SignedLoops, op);
}

AluLoop float_loop(AluOp op) {
    return find(FloatLoops, op);
}

}  // namespace trnsim::firmware
