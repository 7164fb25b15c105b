#include "compiler/hlo/element_type.hpp"

#include <algorithm>
#include <iterator>

namespace trnsim::hlo {
namespace {

using enum LiteralEncoding;

constexpr TypeInfo Types[] = {
    {ElementType::Invalid, "invalid", Kind::None, 0, 0, None},
    {ElementType::Pred, "pred", Kind::Pred, 8, 2, Varint},
    {ElementType::S8, "s8", Kind::Signed, 8, 15, Bytes},
    {ElementType::S16, "s16", Kind::Signed, 16, 17, Bytes},
    {ElementType::S32, "s32", Kind::Signed, 32, 4, Varint},
    {ElementType::S64, "s64", Kind::Signed, 64, 5, Varint},
    {ElementType::U8, "u8", Kind::Unsigned, 8, 3, Bytes},
    {ElementType::U16, "u16", Kind::Unsigned, 16, 16, Bytes},
    {ElementType::U32, "u32", Kind::Unsigned, 32, 6, Varint},
    {ElementType::U64, "u64", Kind::Unsigned, 64, 7, Varint},
    {ElementType::F16, "f16", Kind::Real, 16, 11, Bytes},
    {ElementType::F32, "f32", Kind::Real, 32, 8, Fixed},
    {ElementType::F64, "f64", Kind::Real, 64, 9, Fixed},
    {ElementType::Tuple, "tuple", Kind::None, 0, 0, None},
    {ElementType::Opaque, "opaque", Kind::None, 0, 0, None},
    {ElementType::C64, "c64", Kind::Complex, 64, 12, Fixed},
    {ElementType::Bf16, "bf16", Kind::Real, 16, 13, Bytes},
    {ElementType::Token, "token", Kind::None, 0, 0, None},
    {ElementType::C128, "c128", Kind::Complex, 128, 18, Fixed},
    {ElementType::F8e5m2, "f8e5m2", Kind::Real, 8, 19, Bytes},
    {ElementType::F8e4m3fn, "f8e4m3fn", Kind::Real, 8, 20, Bytes},
    {ElementType::S4, "s4", Kind::Signed, 4, 21, Bytes},
    {ElementType::U4, "u4", Kind::Unsigned, 4, 22, Bytes},
    {ElementType::F8e4m3b11fnuz, "f8e4m3b11fnuz", Kind::Real, 8, 23, Bytes},
    {ElementType::F8e5m2fnuz, "f8e5m2fnuz", Kind::Real, 8, 24, Bytes},
    {ElementType::F8e4m3fnuz, "f8e4m3fnuz", Kind::Real, 8, 25, Bytes},
    {ElementType::S2, "s2", Kind::Signed, 2, 26, Bytes},
    {ElementType::U2, "u2", Kind::Unsigned, 2, 27, Bytes},
    {ElementType::F8e4m3, "f8e4m3", Kind::Real, 8, 28, Bytes},
    {ElementType::F8e3m4, "f8e3m4", Kind::Real, 8, 29, Bytes},
    {ElementType::S1, "s1", Kind::Signed, 1, 30, Bytes},
    {ElementType::U1, "u1", Kind::Unsigned, 1, 31, Bytes},
    {ElementType::F4e2m1fn, "f4e2m1fn", Kind::Real, 4, 32, Bytes},
    {ElementType::F8e8m0fnu, "f8e8m0fnu", Kind::Real, 8, 33, Bytes},
};

constexpr bool is_ordered() {
    for (std::size_t i = 0; i < std::size(Types); ++i) {
        if (static_cast<std::size_t>(Types[i].type) != i) return false;
    }
    return true;
}
static_assert(is_ordered());

}  // namespace

const TypeInfo& info(ElementType type) {
    return Types[static_cast<std::size_t>(type)];
}

std::optional<ElementType> find_type(std::string_view name) {
    const auto found = std::ranges::find(Types, name, &TypeInfo::name);
    if (found == std::end(Types) || found->type == ElementType::Invalid) return std::nullopt;
    return found->type;
}

std::optional<ElementType> find_type(std::uint64_t number) {
    if (number == 0 || number >= std::size(Types)) return std::nullopt;
    return Types[number].type;
}

}  // namespace trnsim::hlo
