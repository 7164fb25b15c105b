#include "firmware/microcode/alu.hpp"

#include "firmware/microcode/vectors.hpp"

namespace trnsim::firmware {

namespace {

// The next operands are loaded before the result is stored: a store is taken once the one before it is done, and
// the loads can begin meanwhile. The pointers step before the last of them, which waits anyway.
template <class V, bool Unary, auto Op>
void loop(uint32_t* dst, Stream a, Stream b, size_t groups, size_t words) {
    const size_t vl = lanes(words);
    V x = load<V>(a.words, vl), y = Unary ? x : load<V>(b.words, vl);
    dst -= GroupWords;
    const uint32_t* const last = dst + (groups - 1) * GroupWords;
    a.words += a.step;
    if (Unary || b.step == 0) {
        while (dst != last) {
            const V result = Op(x, y, vl);
            x = load<V>(a.words, vl);
            a.words += a.step;
            dst += GroupWords;
            asm volatile("" : "+r"(dst), "+r"(a.words));
            store(dst, result, vl);
        }
    } else {
        while (dst != last) {
            const V result = Op(x, y, vl);
            x = load<V>(a.words, vl);
            a.words += a.step;
            b.words += b.step;
            dst += GroupWords;
            asm volatile("" : "+r"(dst), "+r"(a.words), "+r"(b.words));
            y = load<V>(b.words, vl);
            store(dst, result, vl);
        }
    }
    store(dst + GroupWords, Op(x, y, vl), vl);
}

using N = size_t;
template <auto Op, bool Unary = false>
constexpr AluLoop ints = loop<Ints, Unary, Op>;
template <auto Op, bool Unary = false>
constexpr AluLoop bits = loop<Bits, Unary, Op>;
template <auto Op, bool Unary = false>
constexpr AluLoop floats = loop<Floats, Unary, Op>;
constexpr bool Unary = true;  // b is not used

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

constexpr AluLoop Bypass = bits<[](Bits a, Bits, N) { return a; }, Unary>;

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
    ints<[](Ints a, Ints, N vl) { return truth(__riscv_vmseq(a, 0, vl), vl); }, Unary>,
    ints<[](Ints a, Ints b, N vl) { return __riscv_vand(a, b, vl); }>,
    ints<[](Ints a, Ints b, N vl) { return __riscv_vor(a, b, vl); }>,
    ints<[](Ints a, Ints b, N vl) { return __riscv_vxor(a, b, vl); }>,
    ints<[](Ints a, Ints, N vl) { return __riscv_vnot(a, vl); }, Unary>,
    bits<[](Bits a, Bits b, N vl) { return shifted(__riscv_vsll(a, b, vl), b, vl); }>,
    bits<[](Bits a, Bits b, N vl) { return shifted(__riscv_vsrl(a, b, vl), b, vl); }>,
    ints<[](Ints a, Ints, N vl) { return magnitude(a, vl); }, Unary>,
    nullptr,  // reciprocal
    nullptr,  // rsqrt
    nullptr,  // power
    bits<[](Bits a, Bits b, N vl) {
        return __riscv_vmaxu(as_bits(magnitude(as_ints(a), vl)), as_bits(magnitude(as_ints(b), vl)), vl);
    }>,
    bits<[](Bits a, Bits b, N vl) {
        return __riscv_vminu(as_bits(magnitude(as_ints(a), vl)), as_bits(magnitude(as_ints(b), vl)), vl);
    }>,
    ints<[](Ints a, Ints, N vl) { return __riscv_vmul(a, a, vl); }, Unary>,
    ints<[](Ints a, Ints, N vl) { return __riscv_vmax(a, 0, vl); }, Unary>,
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
    floats<[](Floats a, Floats, N vl) { return truth_float(__riscv_vmfeq(a, 0.0F, vl), vl); }, Unary>,
    nullptr,  // and
    nullptr,  // or
    nullptr,  // xor
    nullptr,  // not
    nullptr,  // shifts
    nullptr,
    floats<[](Floats a, Floats, N vl) { return magnitude(a, vl); }, Unary>,
    floats<[](Floats a, Floats, N vl) { return __riscv_vfrdiv(a, 1.0F, vl); }, Unary>,
    floats<[](Floats a, Floats, N vl) { return __riscv_vfrdiv(__riscv_vfsqrt(a, vl), 1.0F, vl); }, Unary>,
    power,
    floats<[](Floats a, Floats b, N vl) { return __riscv_vfmax(magnitude(a, vl), magnitude(b, vl), vl); }>,
    floats<[](Floats a, Floats b, N vl) { return __riscv_vfmin(magnitude(a, vl), magnitude(b, vl), vl); }>,
    floats<[](Floats a, Floats, N vl) { return __riscv_vfmul(a, a, vl); }, Unary>,
    floats<[](Floats a, Floats, N vl) { return __riscv_vfmax(a, 0.0F, vl); }, Unary>,
};
static_assert(sizeof(FloatLoops) / sizeof(AluLoop) == Operations);

AluLoop find(const AluLoop (&loops)[Operations], AluOp op) {
    const auto code = static_cast<uint32_t>(op);
    return code < Operations ? loops[code] : nullptr;
}

}  // namespace

void run(AluLoop loop, size_t group, uint32_t* dst, Stream a, Stream b, size_t words) {
    const size_t rest = words & (group - 1), done = words - rest;
    if (done != 0) loop(dst, a, b, done / group, group);
    if (rest == 0) return;
    if (a.step != 0) a.words += done;
    if (b.step != 0) b.words += done;
    loop(dst + done, a, b, 1, rest);
}

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
