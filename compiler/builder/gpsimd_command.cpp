#include "compiler/builder/gpsimd_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "arch/target/dtype.hpp"
#include "compiler/builder/error.hpp"
#include "compiler/builder/overlap.hpp"
#include "compiler/builder/rules.hpp"

namespace trnsim::builder {

bool is_gpsimd_type(isa::Dtype dtype) {
    return firmware::size_log2(static_cast<firmware::Dtype>(dtype)) != firmware::NoSize;
}

void GpsimdCommand::require(bool holds, std::string_view rule) const {
    if (!holds) throw Error(fmt::format("{}: {}", name_, rule));
}

void GpsimdCommand::require_reached(const Tile& tile) const {
    const std::uint32_t cores = target::gpsimd_cores(target_), partitions = CorePartitions * cores;
    require(tile.partition + tile.partitions <= partitions,
            fmt::format("{}: GpSimd's {} cores reach partitions 0 to {}", tile.describe(), cores,
                        partitions - 1));
}

void GpsimdCommand::check(const Tile& tile) {
    check_operand(target_, name_, tile);
    require(tile.memory == target::Memory::Sbuf,
            fmt::format("{}: GpSimd cores have SBUF only", tile.describe()));
    require(is_gpsimd_type(tile.dtype),
            fmt::format("{}: GpSimd has i8, u8, i16, u16, i32, u32, bf16 and fp32", tile.describe()));
    require_reached(tile);
    for (std::uint32_t core = 0; core < cores(tile); ++core) core_mask_ |= 1U << (first_core(tile) + core);
}

GpsimdCommand& GpsimdCommand::read(const Tile& tile) {
    check(tile);
    reads_.push_back({Role::Read, tile});
    return *this;
}

GpsimdCommand& GpsimdCommand::write(const Tile& tile, Role role) {
    check(tile);
    writes_.push_back({role, tile});
    return *this;
}

void GpsimdCommand::require_partitions_of(const Tile& dst, const Tile& other) const {
    require(other.partition == dst.partition && other.partitions == dst.partitions,
            fmt::format("{} is not in the partitions of {}", other.describe(), dst.describe()));
}

void GpsimdCommand::check_overlap(const Tile& dst, const Tile& source) const {
    // Only elements in the same partitions can be read before they are written, element by element.
    ElementPattern to = pattern_of(dst), from = pattern_of(source);
    const bool meet = dst.partition < source.partition + source.partitions &&
                      source.partition < dst.partition + dst.partitions;
    if (!meet) return;
    const bool same_partitions = dst.partition == source.partition && dst.partitions == source.partitions;
    from.partition = to.partition;
    require(dst.is_apart_from(source) || (same_partitions && !overlap_is_undefined(to, from)),
            fmt::format("{}: overlaps {} other than exactly in place or interleaved", dst.describe(),
                        source.describe()));
}

firmware::Shape GpsimdCommand::shape(const Tile& tile) const {
    firmware::Shape shape{tile.partition, tile.partitions, {1, 1, 1, 1}};
    std::ranges::transform(tile.axes.rbegin(), tile.axes.rend(), shape.count,
                           [](const Axis& axis) { return axis.count; });
    return shape;
}

firmware::Tensor GpsimdCommand::tensor(const Tile& tile) const {
    firmware::Tensor tensor{tile.offset, static_cast<firmware::Dtype>(tile.dtype), {}};
    std::ranges::transform(tile.axes.rbegin(), tile.axes.rend(), tensor.step, [](const Axis& axis) {
        return axis.count == 1 ? 0 : static_cast<std::int32_t>(axis.step);
    });
    return tensor;
}

firmware::Affine GpsimdCommand::affine(const Affine& affine, const Tile& dst) const {
    require(
        affine.steps.size() == dst.axes.size(),
        fmt::format("{} steps for the {} axes of {}", affine.steps.size(), dst.axes.size(), dst.describe()));
    firmware::Affine result{affine.base, affine.partition_step, {}};
    std::ranges::copy(affine.steps.rbegin(), affine.steps.rend(), result.step);
    return result;
}

std::uint32_t GpsimdCommand::immediate(const Number& number, bool floats) const {
    if (floats) {
        const float value = std::visit([](auto v) { return static_cast<float>(v); }, number);
        return std::bit_cast<std::uint32_t>(value);
    }
    if (const float* value = std::get_if<float>(&number)) {
        require(std::nearbyint(*value) == *value && *value >= -0x1p31F && *value < 0x1p32F,
                fmt::format("{} is no integer of 32 bits", *value));
        return static_cast<std::uint32_t>(static_cast<std::int64_t>(*value));
    }
    const auto* value = std::get_if<std::int32_t>(&number);
    return value != nullptr ? static_cast<std::uint32_t>(*value) : std::get<std::uint32_t>(number);
}

std::uint32_t GpsimdCommand::row(const Tile& tile, std::uint64_t elements) const {
    std::int64_t step = 1;
    bool dense = tile.elements() == elements;
    for (auto axis = tile.axes.rbegin(); axis != tile.axes.rend(); ++axis) {
        dense = dense && (axis->count == 1 || axis->step == step);
        step *= axis->count;
    }
    require(dense, fmt::format("{} has not {} elements a partition side by side", tile.describe(), elements));
    return tile.offset;
}

void GpsimdCommand::require_row_of_cores(const Tile& row, const Tile& cores_of) const {
    const std::uint32_t last = CorePartitions * (cores(cores_of) - 1) + 1;
    require(first_core(row) == first_core(cores_of) && row.partitions == last,
            fmt::format("{} is not a partition of each core that {} is in: {} partitions of core {}",
                        row.describe(), cores_of.describe(), last, first_core(cores_of)));
}

void GpsimdCommand::set_words(std::span<const std::uint8_t> bytes, const std::vector<TileWord>& places) {
    words_.resize(bytes.size() / 4);
    std::memcpy(words_.data(), bytes.data(), 4 * words_.size());
    for (const TileWord& place : places)
        if (place.tile.buffer != 0)
            mentioned_.push_back({static_cast<std::uint32_t>(place.at / 4), place.tile.buffer});
}

Step GpsimdCommand::step(std::uint32_t operation, const After& after) const {
    isa::Instruction instruction(isa::Opcode::GpsimdCommand);
    instruction.set(isa::field::Operation, operation).set(isa::field::CoreMask, core_mask_);
    Step step(isa::Engine::Gpsimd, instruction, after);
    step.accesses = writes_;
    step.accesses.insert(step.accesses.end(), reads_.begin(), reads_.end());
    step.words = words_;
    for (const Mentioned& mentioned : mentioned_) {
        const auto access = std::ranges::find(step.accesses, mentioned.buffer,
                                              [](const Access& made) { return made.tile()->buffer; });
        step.mentions.push_back({.in = Mention::In::Word,
                                 .access = static_cast<std::uint8_t>(access - step.accesses.begin()),
                                 .word = mentioned.word});
    }
    return step;
}

}  // namespace trnsim::builder
