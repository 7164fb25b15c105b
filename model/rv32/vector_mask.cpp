// Operations on mask registers, and counts of their bits.
#include "model/rv32/vector.hpp"

namespace trnsim::rv32 {

namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;

constexpr Kernels all(Kernel kernel) {
    return {kernel, kernel, kernel};
}

bool bit(const u8* bits, u32 index) {
    return (bits[index / 8] >> index % 8 & 1) != 0;
}
bool is_active(const State& s, const Op& op, u32 element) {
    return !op.masked() || s.active(element);
}
u32& integer_result(State& s, const Op& op) {
    return s.x[op.rd == 0 ? NoRegister : op.rd];
}

// Logic of vs2's bit x and vs1's bit y; Table has a bit for each of x, y = 0, 0; 0, 1; 1, 0; 1, 1.
template <u32 Table>
void logic(State& s, const Op& op) {
    u8* const d = s.group<u8>(op.rd);
    const u8* const x = s.group<u8>(op.rs2);
    const u8* const y = s.group<u8>(op.rs1);
    for (u32 i = 0; i < s.vl; i += 8) {
        const u32 a = x[i / 8], b = y[i / 8];
        const u32 value = ((Table & 1) ? ~a & ~b : 0) | ((Table & 2) ? ~a & b : 0) |
                          ((Table & 4) ? a & ~b : 0) | ((Table & 8) ? a & b : 0);
        const u32 written = s.vl - i >= 8 ? 0xff : (1U << (s.vl - i)) - 1;
        d[i / 8] = static_cast<u8>((value & written) | (d[i / 8] & ~written));
    }
}

// Sets bits up to the first bit that is set: vmsbf before it, vmsif before and at it, vmsof only at it.
template <bool Before, bool At>
void set_until_first(State& s, const Op& op) {
    const u8* const x = s.group<u8>(op.rs2);
    MaskResult result;
    bool found = false;
    for (u32 i = 0; i < s.vl; ++i) {
        if (!is_active(s, op, i)) continue;
        const bool here = !found && bit(x, i);
        result[i] = here ? At : !found && Before;
        found |= here;
    }
    result.write(s, op, op.masked());
}

template <class D>
void iota(State& s, const Op& op) {
    D* const d = s.group<D>(op.rd);
    const u8* const x = s.group<u8>(op.rs2);
    u32 count = 0;
    for (u32 i = 0; i < s.vl; ++i) {
        if (!is_active(s, op, i)) continue;
        d[i] = static_cast<D>(count);
        count += bit(x, i);
    }
}

template <class D>
void index(State& s, const Op& op) {
    D* const d = s.group<D>(op.rd);
    for (u32 i = 0; i < s.vl; ++i)
        if (is_active(s, op, i)) d[i] = static_cast<D>(i);
}

void count_bits(State& s, const Op& op) {
    const u8* const x = s.group<u8>(op.rs2);
    u32 count = 0;
    for (u32 i = 0; i < s.vl; ++i) count += is_active(s, op, i) && bit(x, i);
    integer_result(s, op) = count;
}

void first_bit(State& s, const Op& op) {
    const u8* const x = s.group<u8>(op.rs2);
    u32 i = 0;
    while (i < s.vl && !(is_active(s, op, i) && bit(x, i))) ++i;
    integer_result(s, op) = i < s.vl ? i : ~u32{0};
}

// Moves between element 0 and scalar registers.
template <class X>
void to_integer_register(State& s, const Op& op) {
    integer_result(s, op) = static_cast<u32>(std::int32_t{*s.group<X>(op.rs2)});
}
void to_float_register(State& s, const Op& op) {
    s.f[op.rd] = *s.group<u32>(op.rs2);
}
template <class D>
void from_register(State& s, const Op& op) {
    if (s.vl != 0) *s.group<D>(op.rd) = static_cast<D>(s.scalar);
}

constexpr VectorRow logic_row(u8 funct6, Kernel kernel) {
    return {'M', funct6, Kind::MaskLogic, Unmasked, all(kernel), {}};
}
constexpr VectorRow coded(u8 funct6, Kind kind, int vs1, Kernels kernels, int vs2 = -1) {
    return {'M', funct6, kind, Plain, kernels, {}, VectorRow::None, vs1, vs2};
}

constexpr VectorRow Rows[] = {
    logic_row(0x18, logic<0b0100>),  // vmandn
    logic_row(0x19, logic<0b1000>),
    logic_row(0x1a, logic<0b1110>),
    logic_row(0x1b, logic<0b0110>),
    logic_row(0x1c, logic<0b1101>),  // vmorn
    logic_row(0x1d, logic<0b0111>),
    logic_row(0x1e, logic<0b0001>),
    logic_row(0x1f, logic<0b1001>),
    coded(0x14, Kind::MaskSet, 1, all(set_until_first<true, false>)),
    coded(0x14, Kind::MaskSet, 2, all(set_until_first<false, true>)),
    coded(0x14, Kind::MaskSet, 3, all(set_until_first<true, true>)),
    coded(0x14, Kind::Iota, 16, {iota<u8>, iota<std::uint16_t>, iota<u32>}),
    coded(0x14, Kind::Id, 17, {index<u8>, index<std::uint16_t>, index<u32>}, 0),
    coded(0x10, Kind::Count, 16, all(count_bits)),
    coded(0x10, Kind::Count, 17, all(first_bit)),
    {'M',
     0x10,
     Kind::MaskLogic,
     Unmasked,
     {to_integer_register<std::int8_t>, to_integer_register<std::int16_t>, to_integer_register<std::int32_t>},
     {},
     VectorRow::None,
     0},
    {'M',
     0x10,
     Kind::MaskLogic,
     Unmasked,
     {},
     {from_register<u8>, from_register<std::uint16_t>, from_register<u32>},
     VectorRow::None,
     -1,
     0},
    {'F', 0x10, Kind::MaskLogic, Unmasked, {nullptr, nullptr, to_float_register}, {}, VectorRow::None, 0},
    {'F',
     0x10,
     Kind::MaskLogic,
     Unmasked,
     {},
     {nullptr, nullptr, from_register<u32>},
     VectorRow::None,
     -1,
     0},
};

}  // namespace

std::span<const VectorRow> vector_mask_rows() {
    return Rows;
}

}  // namespace trnsim::rv32
