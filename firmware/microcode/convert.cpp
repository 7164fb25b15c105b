#include "firmware/microcode/convert.hpp"

#include "firmware/microcode/columns.hpp"

namespace trnsim::firmware {

namespace {

// Loads the next numbers before it stores the result, as alu.cpp does.
template <class V, auto Op>
void loop(uint32_t* to, const uint32_t* from, size_t groups, size_t words) {
    const size_t vl = lanes(words);
    V numbers = load<V>(from, vl);
    to -= GroupWords;
    const uint32_t* const last = to + (groups - 1) * GroupWords;
    while (to != last) {
        const auto result = Op(numbers, vl);
        from += GroupWords;
        numbers = load<V>(from, vl);
        to += GroupWords;
        asm volatile("" : "+r"(to));
        store(to, result, vl);
    }
    store(to + GroupWords, Op(numbers, vl), vl);
}

using N = size_t;
template <auto Op>
constexpr Convert of_bits = loop<Bits, Op>;
template <auto Op>
constexpr Convert of_ints = loop<Ints, Op>;
template <auto Op>
constexpr Convert of_floats = loop<Floats, Op>;

// Rounds to nearest even; a NaN keeps its upper bits and becomes quiet.
Bits to_bf16(Floats floats, size_t vl) {
    const Bits bits = as_bits(floats);
    const Bits quiet = __riscv_vor(__riscv_vsrl(bits, 16, vl), 0x40, vl);
    return rounded_half(__riscv_vmfeq(floats, floats, vl), quiet, bits, vl);
}

// Converts to integers of at most 16 bits.
template <int32_t Least, int32_t Most>
Ints to_integer(Floats floats, size_t vl) {
    const Ints value = __riscv_vmin(__riscv_vmax(__riscv_vfcvt_x(floats, vl), Least, vl), Most, vl);
    return __riscv_vmerge(value, 0, __riscv_vmfne(floats, floats, vl), vl);
}

template <uint32_t Width>
constexpr Convert extend = of_bits<[](Bits v, N vl) { return __riscv_vsrl(v, 32 - Width, vl); }>;
template <uint32_t Width>
constexpr Convert extend_signed = of_ints<[](Ints v, N vl) { return __riscv_vsra(v, 32 - Width, vl); }>;
template <uint32_t Width>
constexpr Convert float_of =
    of_bits<[](Bits v, N vl) { return __riscv_vfcvt_f(__riscv_vsrl(v, 32 - Width, vl), vl); }>;
template <uint32_t Width>
constexpr Convert float_of_signed =
    of_ints<[](Ints v, N vl) { return __riscv_vfcvt_f(__riscv_vsra(v, 32 - Width, vl), vl); }>;
template <int32_t Least, int32_t Most>
constexpr Convert integer_of = of_floats<to_integer<Least, Most>>;

constexpr Convert UpperHalf = of_bits<[](Bits v, N vl) { return __riscv_vand(v, 0xffff0000, vl); }>;
constexpr Convert FloatOfI32 = of_ints<[](Ints v, N vl) { return __riscv_vfcvt_f(v, vl); }>;
constexpr Convert FloatOfU32 = of_bits<[](Bits v, N vl) { return __riscv_vfcvt_f(v, vl); }>;
constexpr Convert Bf16OfI32 = of_ints<[](Ints v, N vl) { return to_bf16(__riscv_vfcvt_f(v, vl), vl); }>;
constexpr Convert Bf16OfU32 = of_bits<[](Bits v, N vl) { return to_bf16(__riscv_vfcvt_f(v, vl), vl); }>;
constexpr Convert Bf16OfFloat = of_floats<to_bf16>;
constexpr Convert I32OfFloat = of_floats<[](Floats v, N vl) {
    return __riscv_vmerge(__riscv_vfcvt_x(v, vl), 0, __riscv_vmfne(v, v, vl), vl);
}>;
constexpr Convert U32OfFloat = of_floats<[](Floats v, N vl) {
    return __riscv_vmerge(__riscv_vfcvt_xu(v, vl), 0, __riscv_vmfne(v, v, vl), vl);
}>;

// In the order of Dtype's codes; code 7 is not used
constexpr Conversions Rows[] = {
    {extend<8>, extend_signed<8>, float_of_signed<8>, integer_of<-0x80, 0x7f>, nullptr, nullptr},
    {extend<8>, extend<8>, float_of<8>, integer_of<0, 0xff>, nullptr, nullptr},
    {extend<16>, extend_signed<16>, float_of_signed<16>, integer_of<-0x8000, 0x7fff>, nullptr, nullptr},
    {extend<16>, extend<16>, float_of<16>, integer_of<0, 0xffff>, nullptr, nullptr},
    {extend<16>, nullptr, UpperHalf, Bf16OfFloat, Bf16OfI32, Bf16OfU32},
    {},
    {nullptr, nullptr, FloatOfI32, I32OfFloat, nullptr, nullptr},
    {nullptr, nullptr, FloatOfU32, U32OfFloat, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, FloatOfI32, FloatOfU32},
};

}  // namespace

void convert(Convert conversion, uint32_t* to, const uint32_t* from, size_t words) {
    const size_t groups = words / GroupWords, done = groups * GroupWords;
    set_rounding();
    if (groups != 0) conversion(to, from, groups, GroupWords);
    if (done != words) conversion(to + done, from + done, 1, words - done);
}

void pack_bf16(uint32_t* to, const uint32_t* from, size_t words) {
    set_rounding();
    Floats numbers = load<Floats>(from, lanes(words));
    for (;;) {
        const size_t vl = lanes(words);
        Bits elements = to_bf16(numbers, vl);
        const bool last = words <= GroupWords;
        if (!last) {
            words -= GroupWords;
            from += GroupWords;
        }
        asm volatile("" : "+vr"(elements), "+r"(from), "+r"(words));
        numbers = load<Floats>(from, lanes(words));  // the last ones twice
        const HalfBits pairs = half_group([&]<uint32_t Index> {
            return __riscv_vmacc(column<2 * Index>(elements), 0x10000, column<2 * Index + 1>(elements),
                                 Partitions);
        });
        store(to, pairs, vl / 2);
        if (last) return;
        to += HalfWords;
    }
}

const Conversions& conversions(Dtype dtype) {
    return Rows[static_cast<uint32_t>(dtype) - static_cast<uint32_t>(Dtype::I8)];
}

}  // namespace trnsim::firmware
