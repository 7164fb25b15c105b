// Elements that move within and between groups: slides, gathers, vcompress, whole registers.
#include "model/rv32/vector.hpp"

namespace trnsim::rv32 {

namespace {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

bool is_active(const State& s, const Op& op, u32 element) {
    return !op.masked() || s.active(element);
}

template <class T>
void slide_up(State& s, const Op& op) {
    T* const d = s.group<T>(op.rd);
    const T* const x = s.group<T>(op.rs2);
    for (u64 i = s.scalar; i < s.vl; ++i)
        if (is_active(s, op, static_cast<u32>(i))) d[i] = x[i - s.scalar];
}

template <class T>
void slide_down(State& s, const Op& op) {
    T* const d = s.group<T>(op.rd);
    const T* const x = s.group<T>(op.rs2);
    const u64 end = s.vlmax(s.vtype);
    for (u32 i = 0; i < s.vl; ++i) {
        const u64 from = u64{i} + s.scalar;
        if (is_active(s, op, i)) d[i] = from < end ? x[from] : T{0};
    }
}

template <class T>
void slide_up_one(State& s, const Op& op) {
    T* const d = s.group<T>(op.rd);
    const T* const x = s.group<T>(op.rs2);
    for (u32 i = 0; i < s.vl; ++i)
        if (is_active(s, op, i)) d[i] = i == 0 ? static_cast<T>(s.scalar) : x[i - 1];
}

template <class T>
void slide_down_one(State& s, const Op& op) {
    T* const d = s.group<T>(op.rd);
    const T* const x = s.group<T>(op.rs2);
    for (u32 i = 0; i < s.vl; ++i)
        if (is_active(s, op, i)) d[i] = i + 1 == s.vl ? static_cast<T>(s.scalar) : x[i + 1];
}

// Y is the type of the indices.
template <class T, class Y>
void gather(State& s, const Op& op) {
    T* const d = s.group<T>(op.rd);
    const T* const x = s.group<T>(op.rs2);
    const Y* const y = s.group<Y>(op.rs1);
    const u32 end = s.vlmax(s.vtype);
    for (u32 i = 0; i < s.vl; ++i)
        if (is_active(s, op, i)) d[i] = y[i] < end ? x[y[i]] : T{0};
}

template <class T>
void gather_scalar(State& s, const Op& op) {
    T* const d = s.group<T>(op.rd);
    const T value = s.scalar < s.vlmax(s.vtype) ? s.group<T>(op.rs2)[s.scalar] : T{0};
    for (u32 i = 0; i < s.vl; ++i)
        if (is_active(s, op, i)) d[i] = value;
}

template <class T>
void compress(State& s, const Op& op) {
    T* d = s.group<T>(op.rd);
    const T* const x = s.group<T>(op.rs2);
    const u8* const chosen = s.group<u8>(op.rs1);
    for (u32 i = 0; i < s.vl; ++i)
        if ((chosen[i / 8] >> i % 8 & 1) != 0) *d++ = x[i];
}

void move_registers(State& s, const Op& op) {
    std::memmove(s.group<u8>(op.rd), s.group<u8>(op.rs2), std::size_t{op.rs1 + 1U} * s.vlenb);
}

constexpr VectorRow Rows[] = {
    {'I', 0x0c, Kind::Gather, Plain, {gather<u8, u8>, gather<u16, u16>, gather<u32, u32>}, {}},
    {'I',
     0x0c,
     Kind::SlideUp,
     Plain,
     {},
     {gather_scalar<u8>, gather_scalar<u16>, gather_scalar<u32>},
     VectorRow::Unsigned},
    {'I', 0x0e, Kind::Gather16, Plain, {gather<u8, u16>, gather<u16, u16>, gather<u32, u16>}, {}},
    {'I', 0x0e, Kind::SlideUp, Plain, {}, {slide_up<u8>, slide_up<u16>, slide_up<u32>}, VectorRow::Unsigned},
    {'I',
     0x0f,
     Kind::SlideDown,
     Plain,
     {},
     {slide_down<u8>, slide_down<u16>, slide_down<u32>},
     VectorRow::Unsigned},
    {'I',
     0x27,
     Kind::MoveRegisters,
     Unmasked,
     {},
     {move_registers, move_registers, move_registers},
     VectorRow::Unsigned},
    {'M', 0x0e, Kind::SlideUp, Plain, {}, {slide_up_one<u8>, slide_up_one<u16>, slide_up_one<u32>}},
    {'M', 0x0f, Kind::SlideDown, Plain, {}, {slide_down_one<u8>, slide_down_one<u16>, slide_down_one<u32>}},
    {'M', 0x17, Kind::Compress, Unmasked, {compress<u8>, compress<u16>, compress<u32>}, {}},
    {'F', 0x0e, Kind::SlideUp, Plain, {}, {nullptr, nullptr, slide_up_one<u32>}},
    {'F', 0x0f, Kind::SlideDown, Plain, {}, {nullptr, nullptr, slide_down_one<u32>}},
};

}  // namespace

std::span<const VectorRow> vector_move_rows() {
    return Rows;
}

}  // namespace trnsim::rv32
