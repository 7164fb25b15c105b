#include "compiler/hlo/opcode.hpp"

#include <algorithm>
#include <iterator>

namespace trnsim::hlo {
namespace {

constexpr OpcodeInfo Opcodes[] = {
#define TRNSIM_HLO_ROW(enumerator, name, fewest, most, family) {name, fewest, most, Family::family},
    TRNSIM_HLO_OPCODES(TRNSIM_HLO_ROW)
#undef TRNSIM_HLO_ROW
};
static_assert(std::ranges::is_sorted(Opcodes, {}, &OpcodeInfo::name));

}  // namespace

const OpcodeInfo& info(Opcode opcode) {
    return Opcodes[static_cast<std::size_t>(opcode)];
}

std::optional<Opcode> find_opcode(std::string_view name) {
    const auto found = std::ranges::lower_bound(Opcodes, name, {}, &OpcodeInfo::name);
    if (found == std::end(Opcodes) || found->name != name) return std::nullopt;
    return static_cast<Opcode>(found - std::begin(Opcodes));
}

std::string_view refusal(Family family) {
    switch (family) {
        case Family::Asynchronous:
            return "asynchronous operations appear in scheduled modules only";
        case Family::ComplexNumbers:
            return "complex numbers are not supported";
        case Family::DynamicShapes:
            return "shapes have to be static";
        case Family::Host:
            return "transfers between a running program and its host are not supported";
        case Family::Random:
            return "its values are not specified; rng-bit-generator is";
        default:
            return {};
    }
}

}  // namespace trnsim::hlo
