// The types of elements: their names in text, their numbers in files (PrimitiveType of xla_data.proto).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace trnsim::hlo {

enum class ElementType : std::uint8_t {
    Invalid = 0,
    Pred = 1,
    S8 = 2,
    S16 = 3,
    S32 = 4,
    S64 = 5,
    U8 = 6,
    U16 = 7,
    U32 = 8,
    U64 = 9,
    F16 = 10,
    F32 = 11,
    F64 = 12,
    Tuple = 13,
    Opaque = 14,
    C64 = 15,
    Bf16 = 16,
    Token = 17,
    C128 = 18,
    F8e5m2 = 19,
    F8e4m3fn = 20,
    S4 = 21,
    U4 = 22,
    F8e4m3b11fnuz = 23,
    F8e5m2fnuz = 24,
    F8e4m3fnuz = 25,
    S2 = 26,
    U2 = 27,
    F8e4m3 = 28,
    F8e3m4 = 29,
    S1 = 30,
    U1 = 31,
    F4e2m1fn = 32,
    F8e8m0fnu = 33,
};

// None is what has no elements: tuples, tokens and opaque values.
enum class Kind : std::uint8_t { None, Pred, Signed, Unsigned, Real, Complex };

// The encoding of a literal's elements in its field of the file.
enum class LiteralEncoding : std::uint8_t {
    None,
    Varint,  // packed, one varint an element
    Fixed,   // packed, little-endian
    Bytes,   // little-endian bytes; elements below a byte share one, the first in the low bits
};

struct TypeInfo {
    ElementType type;
    std::string_view name;
    Kind kind;
    std::uint8_t bits;           // of an element
    std::uint8_t literal_field;  // of LiteralProto
    LiteralEncoding encoding;
};

const TypeInfo& info(ElementType type);
std::optional<ElementType> find_type(std::string_view name);
std::optional<ElementType> find_type(std::uint64_t number);

inline std::string_view name(ElementType type) {
    return info(type).name;
}
inline Kind kind(ElementType type) {
    return info(type).kind;
}
inline bool is_array(ElementType type) {
    return kind(type) != Kind::None;
}
inline bool is_real(ElementType type) {
    return kind(type) == Kind::Real;
}
inline bool is_integer(ElementType type) {
    return kind(type) == Kind::Signed || kind(type) == Kind::Unsigned;
}
// Bytes of an element in memory: at least one.
inline std::size_t element_bytes(ElementType type) {
    return (info(type).bits + 7u) / 8u;
}

}  // namespace trnsim::hlo
