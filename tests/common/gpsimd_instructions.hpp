// Instructions of the GpSimd engine, and arguments of the microcode.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "isa/instruction.hpp"
#include "trnsim/microcode.hpp"

namespace trnsim::test::gpsimd {

inline isa::Instruction start(std::uint32_t mask, std::uint32_t boot) {
    return isa::Instruction(isa::Opcode::GpsimdStart)
        .set(isa::field::CoreMask, mask)
        .set(isa::field::Boot, boot);
}

inline isa::Instruction command(std::uint32_t mask, std::uint32_t operation) {
    return isa::Instruction(isa::Opcode::GpsimdCommand)
        .set(isa::field::CoreMask, mask)
        .set(isa::field::Operation, operation);
}
inline isa::Instruction command(std::uint32_t mask, firmware::Command operation) {
    return command(mask, static_cast<std::uint32_t>(operation));
}

// Returns as many instructions as the values need.
inline std::vector<isa::Instruction> words(std::span<const std::uint32_t> values, std::uint32_t first = 0) {
    namespace field = isa::field;
    static const std::array places{&field::W0, &field::W1, &field::W2, &field::W3, &field::W4,  &field::W5,
                                   &field::W6, &field::W7, &field::W8, &field::W9, &field::W10, &field::W11};
    std::vector<isa::Instruction> list;
    for (std::size_t at = 0; at < values.size(); at += places.size()) {
        const std::size_t count = std::min(places.size(), values.size() - at);
        isa::Instruction& instruction = list.emplace_back(isa::Opcode::GpsimdArguments);
        instruction.set(field::FirstWord, first + at).set(field::Words, count);
        for (std::size_t k = 0; k < count; ++k) instruction.set(*places[k], values[at + k]);
    }
    return list;
}
template <class Arguments>
std::vector<isa::Instruction> arguments(const Arguments& values) {
    return words({reinterpret_cast<const std::uint32_t*>(&values), sizeof(values) / 4});
}

// Arguments that set `count` words of each of the first partitions, from byte `address` on, to `value`, or
// that copy them from another address.
inline firmware::MemsetArguments memset_of(std::uint32_t partitions, std::uint32_t address,
                                           std::uint32_t count, std::uint32_t value) {
    return {{0, partitions, {count, 1, 1, 1}}, {address, firmware::Dtype::I32, {1, 0, 0, 0}}, value};
}
inline firmware::TensorCopyArguments copy_of(std::uint32_t partitions, std::uint32_t from, std::uint32_t to,
                                             std::uint32_t count) {
    return {{0, partitions, {count, 1, 1, 1}},
            {to, firmware::Dtype::I32, {1, 0, 0, 0}},
            {from, firmware::Dtype::I32, {1, 0, 0, 0}}};
}

}  // namespace trnsim::test::gpsimd
