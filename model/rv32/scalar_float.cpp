// Scalar floating-point instructions.
#include "model/rv32/decode.hpp"
#include "model/rv32/floats.hpp"

namespace trnsim::rv32 {

namespace {

using u32 = std::uint32_t;

constexpr u32 Dynamic = 7, NoMode = 8;

// Returns the rounding mode and sets it in the host, or NoMode if the instruction is illegal.
u32 mode_of(State& s, const Op* op) {
    u32 mode = op->insn >> 12 & 7;
    if (mode == Dynamic) mode = s.frm;
    if (mode > NearestAway || !s.fs) return NoMode;
    set_host_mode(s, mode);
    return mode;
}

template <class F>
Op* arithmetic(State& s, Op* op) {
    const u32 mode = mode_of(s, op);
    if (mode == NoMode) return illegal(s, op);
    s.f[op->rd] = rounded<F>(s, s.f[op->rs1], s.f[op->rs2], s.f[op->rs3], mode);
    return op + 1;
}

template <bool IsSigned>
Op* convert_to(State& s, Op* op) {
    const u32 mode = mode_of(s, op);
    if (mode == NoMode) return illegal(s, op);
    s.x[op->rd] = to_integer(s, s.f[op->rs1], IsSigned, 32, mode);
    return op + 1;
}

template <bool IsSigned>
Op* convert_from(State& s, Op* op) {
    const u32 mode = mode_of(s, op);
    if (mode == NoMode) return illegal(s, op);
    const u32 a = s.x[op->rs1];
    s.f[op->rd] =
        from_integer(s, IsSigned ? std::int64_t{static_cast<std::int32_t>(a)} : std::int64_t{a}, mode);
    return op + 1;
}

template <BitOperation F>
Op* to_float(State& s, Op* op) {
    if (!s.fs) return illegal(s, op);
    s.f[op->rd] = F(s, s.f[op->rs1], s.f[op->rs2]);
    return op + 1;
}
template <BitOperation F>
Op* to_integer_register(State& s, Op* op) {
    if (!s.fs) return illegal(s, op);
    s.x[op->rd] = F(s, s.f[op->rs1], s.f[op->rs2]);
    return op + 1;
}

u32 bits_of(State&, u32 a, u32) {
    return a;
}
u32 class_of(State&, u32 a, u32) {
    return float_class(a);
}

Op* move_from_integer(State& s, Op* op) {
    if (!s.fs) return illegal(s, op);
    s.f[op->rd] = s.x[op->rs1];
    return op + 1;
}

constexpr u32 Fused = 0x0600007f;

constexpr Row Rows[] = {
    {Fused, 0x43, arithmetic<FloatMadd>, Format::R, true},
    {Fused, 0x47, arithmetic<FloatMsub>, Format::R, true},
    {Fused, 0x4b, arithmetic<FloatNmsub>, Format::R, true},
    {Fused, 0x4f, arithmetic<FloatNmadd>, Format::R, true},
    {Rounded, 0x53, arithmetic<FloatAdd>, Format::R, true},
    {Rounded, 0x08000053, arithmetic<FloatSub>, Format::R, true},
    {Rounded, 0x10000053, arithmetic<FloatMul>, Format::R, true},
    {Rounded, 0x18000053, arithmetic<FloatDiv>, Format::R, true},
    {Unary, 0x58000053, arithmetic<FloatRoot>, Format::R, true},
    {Funct7, 0x20000053, to_float<float_sign>, Format::R, true},
    {Funct7, 0x20001053, to_float<float_other_sign>, Format::R, true},
    {Funct7, 0x20002053, to_float<float_product_sign>, Format::R, true},
    {Funct7, 0x28000053, to_float<float_extreme<false>>, Format::R, true},
    {Funct7, 0x28001053, to_float<float_extreme<true>>, Format::R, true},
    {Funct7, 0xa0000053, to_integer_register<float_compare<Compare::LessEqual>>},
    {Funct7, 0xa0001053, to_integer_register<float_compare<Compare::Less>>},
    {Funct7, 0xa0002053, to_integer_register<float_compare<Compare::Equal>>},
    {Unary, 0xc0000053, convert_to<true>},
    {Unary, 0xc0100053, convert_to<false>},
    {Unary, 0xd0000053, convert_from<true>, Format::R, true},
    {Unary, 0xd0100053, convert_from<false>, Format::R, true},
    {UnaryFunct3, 0xe0000053, to_integer_register<bits_of>},
    {UnaryFunct3, 0xe0001053, to_integer_register<class_of>},
    {UnaryFunct3, 0xf0000053, move_from_integer, Format::R, true},
};

}  // namespace

std::span<const Row> float_rows() {
    return Rows;
}

}  // namespace trnsim::rv32
