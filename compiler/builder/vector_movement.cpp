// The Vector engine's part of KernelBuilder: search, movement between partitions, random numbers.
#include <fmt/format.h>

#include <array>

#include "arch/target/dtype.hpp"
#include "compiler/builder/error.hpp"
#include "compiler/builder/kernel_builder.hpp"
#include "compiler/builder/lane_instruction.hpp"
#include "isa/element_type.hpp"

namespace trnsim::builder {

using isa::Opcode;
namespace field = isa::field;
using enum isa::Role;

namespace {

constexpr std::uint32_t Eight = 8;
constexpr std::uint64_t MaxSearched = 16384;
constexpr std::uint8_t KeepRow = 255;
constexpr std::size_t MaxMaskEntries = 32;

}  // namespace

Event KernelBuilder::max8(const Tile& dst, const Tile& a, const Rounded& options, Where where) try {
    LaneInstruction instruction(target(), Opcode::Max8, a);
    instruction.fixed_operand(Dst, dst, Eight).operand(A, a).rounding(options.rounding);
    instruction.require_elements(Eight, MaxSearched);
    return append_lanes(Engine::Vector, instruction, options.after, where);
} catch (const Error&) {
    throw_at(where);
}

Event KernelBuilder::find_index8(const Tile& dst, const Tile& a, const Tile& values, const After& after,
                                 Where where) try {
    LaneInstruction instruction(target(), Opcode::FindIndex8, a);
    instruction.fixed_operand(Dst, dst, Eight).operand(A, a).fixed_operand(B, values, Eight);
    instruction.require_elements(Eight, MaxSearched)
        .require(dst.dtype == isa::Dtype::U16 || dst.dtype == isa::Dtype::U32, "indices are u16 or u32");
    return append_lanes(Engine::Vector, instruction, after, where);
} catch (const Error&) {
    throw_at(where);
}

Event KernelBuilder::match_replace8(const Tile& dst, const Tile& a, const Tile& values,
                                    const Scalar& replacement, const Rounded& options, Where where) try {
    LaneInstruction instruction(target(), Opcode::MatchReplace8, a);
    instruction.operand(Dst, dst).operand(A, a).fixed_operand(B, values, Eight).rounding(options.rounding);
    instruction.require_elements(1, MaxSearched).scalar(replacement, field::Imm0, field::Imm0Vector);
    return append_lanes(Engine::Vector, instruction, options.after, where);
} catch (const Error&) {
    throw_at(where);
}

Event KernelBuilder::load_shuffle_mask(std::span<const std::uint8_t> mask, const After& after,
                                       Where where) try {
    const std::array words{&field::Mask0, &field::Mask1, &field::Mask2, &field::Mask3,
                           &field::Mask4, &field::Mask5, &field::Mask6, &field::Mask7};
    const auto quadrant = static_cast<std::size_t>(target().partitions / 4);
    isa::Instruction instruction(Opcode::LoadShuffleMask);
    std::array<std::uint32_t, words.size()> values{};
    if (mask.size() != quadrant || quadrant > MaxMaskEntries)
        throw Error(fmt::format("load_shuffle_mask: {} entries for quadrants of {} rows, at most {}",
                                mask.size(), quadrant, MaxMaskEntries));
    for (std::size_t i = 0; i < mask.size(); ++i) {
        if (mask[i] >= quadrant && mask[i] != KeepRow)
            throw Error("load_shuffle_mask: a quadrant's rows are named by row or 255");
        values.at(i / 4) |= static_cast<std::uint32_t>(mask[i]) << (i % 4 * 8);
    }
    for (std::size_t i = 0; i < words.size(); ++i) instruction.set(*words[i], values[i]);
    const Event loaded = take(Step(Engine::Vector, instruction, after), where);
    shuffle_mask_.assign(mask.begin(), mask.end());
    return loaded;
} catch (const Error&) {
    throw_at(where);
}

Event KernelBuilder::stream_shuffle(const Tile& dst, const Tile& a, const After& after, Where where) try {
    LaneInstruction instruction(target(), Opcode::StreamShuffle, a);
    instruction.operand(Dst, dst).operand(A, a).require(a.dtype == dst.dtype,
                                                        "source and result differ in type");
    const auto quadrant = static_cast<std::uint32_t>(target().partitions / 4);
    const std::uint32_t used = (a.partitions - 1) % quadrant + 1;  // rows of the last quadrant
    for (std::size_t row = 0; row < shuffle_mask_.size() && row < used; ++row)
        instruction.require(shuffle_mask_[row] == KeepRow || shuffle_mask_[row] < used,
                            "the mask names a row beyond the partitions");
    return append_lanes(Engine::Vector, instruction, after, where);
} catch (const Error&) {
    throw_at(where);
}

Event KernelBuilder::transpose_block(const Tile& dst, const Tile& a, const After& after, Where where) try {
    const auto quadrant = static_cast<std::uint32_t>(target().partitions / 4);
    LaneInstruction instruction(target(), Opcode::TransposeBlock, a);
    instruction.require(a.dtype == dst.dtype, "source and result differ in type");
    if (a.partitions % quadrant == 0 && a.elements() % quadrant == 0) {
        instruction.operand(Dst, dst);
    } else {
        instruction.require(a.partitions <= quadrant && a.elements() <= quadrant,
                            "neither whole blocks nor within one");
        instruction.require(
            dst.partitions == a.elements() && dst.axes.size() == 1 && dst.axes[0].count == a.partitions,
            "the result is not [elements, partitions]");
        instruction.placed_operand(Dst, dst);
    }
    instruction.operand(A, a);
    return append_lanes(Engine::Vector, instruction, after, where);
} catch (const Error&) {
    throw_at(where);
}

Event KernelBuilder::dropout(const Tile& dst, const Tile& a, const Scalar& probability,
                             const Rounded& options, Where where) try {
    LaneInstruction instruction(target(), Opcode::Dropout, a);
    instruction.operand(Dst, dst).operand(A, a).rounding(options.rounding);
    instruction.scalar(probability, field::Imm0, field::Imm0Vector, field::Imm0Dtype,
                       target::probability_types(a.dtype));
    return append_lanes(Engine::Vector, instruction, options.after, where);
} catch (const Error&) {
    throw_at(where);
}

Event KernelBuilder::rng(const Tile& dst, const After& after, Where where) try {
    LaneInstruction instruction(target(), Opcode::Rng, dst);
    instruction.operand(Dst, dst).require(!target::is_float(dst.dtype), "random bits are integers");
    return append_lanes(Engine::Vector, instruction, after, where);
} catch (const Error&) {
    throw_at(where);
}

Event KernelBuilder::set_rng_seed(const Tile& seed, const After& after, Where where) try {
    LaneInstruction instruction(target(), Opcode::SetRngSeed, seed);
    instruction.operand(A, seed).require_elements(1, 1);
    instruction.require(
        seed.partitions == 1 && !target::is_float(seed.dtype) && isa::element_size(seed.dtype) == 4,
        "a seed is one element of u32 or i32");
    return append_lanes(Engine::Vector, instruction, after, where);
} catch (const Error&) {
    throw_at(where);
}

}  // namespace trnsim::builder
