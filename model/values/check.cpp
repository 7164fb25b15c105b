#include "model/values/check.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <span>

#include "isa/element_type.hpp"
#include "model/values/operation.hpp"

namespace trnsim::fast {

namespace field = isa::field;
using isa::Dtype;
using isa::Error;
using isa::Instruction;

namespace {

// The elements of an operand within a partition; steps in elements.
struct Pattern {
    std::uint32_t address = 0;
    std::optional<Place> place;
    std::uint32_t size = 1;
    Counts count{};
    std::array<std::int32_t, 4> step{};

    // Bytes from the partition's first: [first, end).
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

// More than half of the partitions start at 0, more than a quarter at 0 or the half, fewer at any quarter.
bool start_allowed(std::uint32_t start, std::uint32_t partitions, std::uint32_t quadrant) {
    if (partitions > 2 * quadrant) return start == 0;
    return start % (partitions > quadrant ? 2 * quadrant : quadrant) == 0;
}

Fault check_pattern(const Pattern& pattern, std::uint32_t partitions, const Memories& memories) {
    const auto fault = [&](Error code) { return Fault{code, pattern.address}; };
    if (pattern.address >= isa::window::EventBase) return fault(Error::AddressRange);
    // Partitions that are not there and the gaps behind partitions are within the window.
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

// Whether no two elements of the pattern, or of it and the same one `apart` elements off, stand at one place.
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
        std::int64_t within = -turn.reach;  // what all others of no larger step reach
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

Pattern pattern_of(const Instruction& instruction, const Memories& memories, Role role,
                   const Counts& counts) {
    const OperandFields& fields = fields_of(role);
    const auto address = static_cast<std::uint32_t>(instruction.get(*fields.address));
    Pattern pattern{address,
                    memories.locate(address),
                    isa::element_size(static_cast<Dtype>(instruction.get(*fields.dtype))),
                    counts,
                    {}};
    for (std::size_t d = 0; d < counts.size(); ++d)
        pattern.step[d] = static_cast<std::int32_t>(instruction.get_signed(*fields.step[d]));
    return pattern;
}

bool is_type(const Instruction& instruction, Role role) {
    return isa::element_size(static_cast<Dtype>(instruction.get(*fields_of(role).dtype))) != 0;
}

}  // namespace

Fault check_operands(const Instruction& instruction, const Memories& memories) {
    const isa::InstructionInfo& info = *instruction.info();
    const std::uint32_t quadrant = memories.partitions() / 4;
    const auto partitions = static_cast<std::uint32_t>(instruction.get(field::Partitions));
    const std::uint32_t results = dst_partitions(instruction, quadrant);
    const bool has_b = takes_b(instruction);

    // Where immediates are tensors, their types.
    std::array<Pattern, 2> columns;
    std::array<bool, 2> has_column{};
    bool types = (!info.uses_dst || is_type(instruction, Role::Dst)) &&
                 (!info.uses_a || is_type(instruction, Role::A)) && (!has_b || is_type(instruction, Role::B));
    for (unsigned i = 0; i < columns.size(); ++i) {
        const ImmediateFields* fields = immediate_fields(instruction, i);
        has_column[i] = fields != nullptr && instruction.get(*fields->flag) != 0;
        if (!has_column[i]) continue;
        const auto address = static_cast<std::uint32_t>(instruction.get(*fields->value));
        const std::uint64_t code = fields->dtype == nullptr ? 0 : instruction.get(*fields->dtype);
        const auto dtype = static_cast<isa::ImmediateDtype>(code);
        types = types && !isa::name_of(dtype).empty();
        columns[i] = {
            address, memories.locate(address), isa::element_size(isa::type_of(dtype)), {1, 1, 1, 1}, {}};
    }
    if (!types) return {Error::Dtype};
    const auto exist = [&](std::uint32_t number) { return number != 0 && number <= memories.partitions(); };
    if (!exist(partitions) || !exist(results)) return {Error::PartitionRange};
    const Counts shape = shape_of(instruction);
    if (std::ranges::find(shape, 0U) != shape.end()) return {Error::Shape};

    const Pattern dst = info.uses_dst
                            ? pattern_of(instruction, memories, Role::Dst, dst_counts(instruction, quadrant))
                            : Pattern{};
    const Pattern a = info.uses_a ? pattern_of(instruction, memories, Role::A, shape) : Pattern{};
    const Pattern b = has_b ? pattern_of(instruction, memories, Role::B, b_counts(instruction)) : Pattern{};
    struct Check {
        bool there;
        const Pattern& pattern;
        std::uint32_t partitions;
    };
    for (const Check& check :
         {Check{info.uses_dst, dst, results}, Check{info.uses_a, a, partitions}, Check{has_b, b, partitions},
          Check{has_column[0], columns[0], partitions}, Check{has_column[1], columns[1], partitions}}) {
        if (!check.there) continue;
        if (const Fault fault = check_pattern(check.pattern, check.partitions, memories)) return fault;
    }
    if (info.uses_dst && info.uses_a && overlap_is_undefined(dst, a))
        return {Error::OperandOverlap, a.address};
    if (info.uses_dst && has_b && overlap_is_undefined(dst, b)) return {Error::OperandOverlap, b.address};
    return {};
}

}  // namespace trnsim::fast
