#include "model/values/check.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <span>

#include "arch/operands/operands.hpp"
#include "isa/element_type.hpp"
#include "model/values/operand.hpp"

namespace trnsim::fast {

namespace field = isa::field;
using isa::Dtype;
using isa::Error;
using isa::Instruction;

namespace {

// The elements of an operand within a partition; steps in elements.
struct Pattern {
    std::uint32_t address = 0;
    std::optional<MemoryAddress> place;
    std::uint32_t size = 1;
    Counts count{};
    isa::Steps step{};

    // Bytes [first, end), counted from the partition's first.
    struct Extent {
        std::int64_t first, end;
    };
    Extent extent() const {
        Extent extent{place->offset, std::int64_t{place->offset} + size};
        for (std::size_t d = 0; d < count.size(); ++d) {
            const std::int64_t reach = std::int64_t{count[d] - 1} * step[d] * size;
            (reach < 0 ? extent.first : extent.end) += reach;
        }
        return extent;
    }
};

// An operand in more than half of the partitions must start at 0, in more than a quarter at 0 or the half, in
// fewer at any quarter.
bool start_allowed(std::uint32_t start, std::uint32_t partitions, std::uint32_t quadrant) {
    if (partitions > 2 * quadrant) return start == 0;
    return start % (partitions > quadrant ? 2 * quadrant : quadrant) == 0;
}

Fault check_pattern(const Pattern& pattern, std::uint32_t partitions, const Memories& memories) {
    const auto fault = [&](Error code) { return Fault{code, pattern.address}; };
    if (pattern.address >= isa::window::EventBase) return fault(Error::AddressRange);
    // Absent partitions and the gaps after partitions are within the window.
    const bool psum = pattern.address >= isa::window::PsumBase;
    const MemoryId memory = psum ? MemoryId::Psum : MemoryId::Sbuf;
    const std::uint32_t stride =
        memories.window_address({memory, 1, 0}) - memories.window_address({memory, 0, 0});
    const std::uint32_t within = pattern.address - memories.window_address({memory, 0, 0});
    const std::uint32_t start = within / stride;
    if (start + partitions > memories.partitions()) return fault(Error::PartitionRange);
    if (!start_allowed(start, partitions, memories.partitions() / 4)) return fault(Error::PartitionStart);
    if (pattern.address % pattern.size != 0) return fault(Error::AddressAlign);
    if (!pattern.place) return fault(Error::AddressRange);
    const Pattern::Extent extent = pattern.extent();
    const bool fits = extent.first >= 0 && extent.end <= memories.partition_bytes(memory);
    return fits ? Fault{} : fault(Error::AddressRange);
}

bool alike(const Pattern& x, const Pattern& y) {
    if (x.size != y.size || x.count != y.count) return false;
    for (std::size_t d = 0; d < x.count.size(); ++d) {
        if (x.count[d] != 1 && x.step[d] != y.step[d]) return false;
    }
    return true;
}

// Returns whether all elements have different places: those of the pattern, or of it and of the same pattern
// `apart` elements further.
bool distinct(const Pattern& pattern, std::int64_t apart) {
    struct Turn {
        std::int64_t step, reach;
    };
    std::array<Turn, 5> turns{};
    std::size_t used = 0;
    for (std::size_t d = 0; d < pattern.count.size(); ++d) {
        if (pattern.count[d] == 1) continue;
        const std::int64_t step = std::abs(pattern.step[d]);
        turns[used++] = {step, step * (pattern.count[d] - 1)};
    }
    if (apart != 0) turns[used++] = {apart, apart};
    const auto others = std::span(turns).first(used);
    for (const Turn& turn : others) {
        std::int64_t within = -turn.reach;  // total reach of the others of no larger step
        for (const Turn& other : others) within += other.step <= turn.step ? other.reach : 0;
        if (within >= turn.step) return false;
    }
    return true;
}

bool overlap_is_undefined(const Pattern& dst, const Pattern& source) {
    if (dst.place->memory != source.place->memory || dst.place->partition != source.place->partition)
        return false;
    const Pattern::Extent written = dst.extent(), read = source.extent();
    if (written.end <= read.first || read.end <= written.first) return false;
    if (!alike(dst, source)) return true;
    const std::int64_t apart = std::int64_t{dst.place->offset} - source.place->offset;
    return !distinct(source, std::abs(apart) / source.size);
}

Pattern pattern_of(isa::InstructionView bytes, const Memories& memories, isa::Role role,
                   const Counts& counts) {
    const isa::OperandFields& fields = isa::fields_of(role);
    const std::uint32_t address = get32(bytes, *fields.address);
    return {address, memories.locate(address), isa::element_size(get_as<Dtype>(bytes, *fields.dtype)), counts,
            isa::steps_of(bytes, role)};
}

// The check of an operand, or of an immediate that is a tensor.
struct Check {
    bool there = false;
    Pattern pattern;
    std::uint32_t partitions = 0;
};

}  // namespace

Fault check_operands(const Instruction& instruction, const Memories& memories) {
    const isa::InstructionInfo& info = *instruction.info();
    const isa::InstructionView bytes = instruction.bytes();
    std::array<Check, 5> checks;  // dst, a, b and the immediates
    const auto& [dst, a, b, imm0, imm1] = checks;
    bool types = true;
    for (const isa::OperandInfo& operand : isa::operands_of(info)) {
        if (!isa::is_there(bytes, operand)) continue;
        const auto [counts, partitions] = operands::extent_of(bytes, operand, memories.partitions() / 4);
        Check& check = checks.at(static_cast<std::size_t>(operand.role));
        check = {true, pattern_of(bytes, memories, operand.role, counts), partitions};
        types = types && check.pattern.size != 0;
    }
    std::size_t next = 3;
    for (const isa::ImmediateInfo& immediate : isa::immediates_of(info)) {
        Check& check = checks.at(next++);
        if (get(bytes, *immediate.flag) == 0) continue;
        const std::uint32_t address = get32(bytes, *immediate.value);
        const isa::ImmediateDtype dtype = isa::vector_type(bytes, immediate);
        types = types && !isa::name_of(dtype).empty();
        check = {
            true,
            {address, memories.locate(address), isa::element_size(isa::type_of(dtype)), {1, 1, 1, 1}, {}},
            get32(bytes, field::Partitions)};
    }
    if (!types) return {Error::Dtype};
    const auto misses_partitions = [&](const Check& check) {
        return check.there && (check.partitions == 0 || check.partitions > memories.partitions());
    };
    if (std::ranges::any_of(checks, misses_partitions)) return {Error::PartitionRange};
    const Counts shape = isa::shape_of(bytes);
    if (std::ranges::find(shape, 0U) != shape.end()) return {Error::Shape};
    for (const Check& check : checks) {
        if (!check.there) continue;
        if (const Fault fault = check_pattern(check.pattern, check.partitions, memories)) return fault;
    }
    for (const Check* source : {&a, &b}) {
        if (dst.there && source->there && overlap_is_undefined(dst.pattern, source->pattern))
            return {Error::OperandOverlap, source->pattern.address};
    }
    return {};
}

}  // namespace trnsim::fast
