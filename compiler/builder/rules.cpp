#include "compiler/builder/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "arch/target/dtype.hpp"
#include "compiler/builder/error.hpp"
#include "isa/element_type.hpp"

namespace trnsim::builder {
namespace {

constexpr std::size_t MaxAxes = 4;

template <typename... Args>
[[noreturn]] void refuse(std::string_view instruction, const Tile& tile, fmt::format_string<Args...> rule,
                         Args&&... args) {
    throw Error(fmt::format("{}: {}: {}", instruction, tile.describe(),
                            fmt::format(rule, std::forward<Args>(args)...)));
}

// Returns the granule at whose multiples `count` partitions may start.
std::uint32_t granule_of(const target::Core& target, std::uint32_t count) {
    const auto partitions = static_cast<std::uint32_t>(target.partitions);
    if (count > partitions / 2) return partitions;
    return count > partitions / 4 ? partitions / 2 : partitions / 4;
}

}  // namespace

void check_operand(const target::Core& target, std::string_view instruction, const Tile& tile) {
    const auto partitions = static_cast<std::uint32_t>(target.partitions);
    if (tile.partitions < 1 || tile.partition >= partitions ||
        tile.partitions > partitions - tile.partition) {
        refuse(instruction, tile, "the target has {} partitions", partitions);
    }
    if (tile.axes.size() > MaxAxes) refuse(instruction, tile, "more than {} free axes", MaxAxes);
    for (const Axis& axis : tile.axes) {
        if (axis.count < 1 || axis.count > std::numeric_limits<std::uint16_t>::max()) {
            refuse(instruction, tile, "an axis has 1 to 65535 elements");
        }
        if (axis.count > 1 && (axis.step < std::numeric_limits<std::int16_t>::min() ||
                               axis.step > std::numeric_limits<std::int16_t>::max())) {
            refuse(instruction, tile, "step {} of an axis is outside -32768 to 32767", axis.step);
        }
    }
    const std::uint32_t bytes = isa::element_size(tile.dtype);
    if (bytes == 0) refuse(instruction, tile, "undefined element type {}", static_cast<unsigned>(tile.dtype));
    if (tile.offset % bytes != 0) refuse(instruction, tile, "the offset is no multiple of {} bytes", bytes);
    const std::uint64_t limit = partition_bytes(target, tile.memory);
    if (tile.first_byte() > tile.end_byte() || tile.end_byte() > limit) {
        refuse(instruction, tile, "a partition has {} bytes", limit);
    }
}

std::vector<std::uint32_t> start_partitions(const target::Core& target, std::uint32_t partitions) {
    const std::uint32_t granule = granule_of(target, partitions);
    std::vector<std::uint32_t> starts{0};
    while (granule != 0 && starts.back() + granule < static_cast<std::uint32_t>(target.partitions))
        starts.push_back(starts.back() + granule);
    return starts;
}

void check_partition_start(const target::Core& target, std::string_view instruction, const Tile& tile) {
    const std::uint32_t granule = granule_of(target, tile.partitions);
    if (granule == 0 || tile.partition % granule != 0) {
        refuse(instruction, tile, "{} partitions start at a multiple of {}", tile.partitions, granule);
    }
}

void check_array_rows(const target::Core& target, std::string_view instruction, const Tile& tile,
                      bool row_tile) {
    if (tile.memory != target::Memory::Sbuf) refuse(instruction, tile, "the Tensor engine reads SBUF only");
    if (!target::is_float(tile.dtype))
        refuse(instruction, tile, "the Tensor engine multiplies floating-point types only");
    const auto rows = static_cast<std::uint32_t>(target.rows);
    const std::uint32_t limit = row_tile ? rows / isa::array::RowGroups : rows;
    const bool start = row_tile ? tile.partition % limit == 0 : tile.partition == 0;
    if (!start)
        refuse(instruction, tile, "starts at row {}",
               row_tile ? fmt::format("0 or a multiple of {}", limit) : "0");
    if (tile.partitions > limit) {
        refuse(instruction, tile, "{} has {} rows", row_tile ? "a row tile" : "the array", limit);
    }
}

void check_accumulator(const target::Core& target, std::string_view instruction, const Tile& tile) {
    if (tile.memory != target::Memory::Psum || tile.dtype != isa::Dtype::Fp32) {
        refuse(instruction, tile, "a matmul writes fp32 to PSUM");
    }
    check_partition_start(target, instruction, tile);
    const std::uint64_t bank = bank_bytes(target);
    if (tile.first_byte() / bank != (tile.end_byte() - 1) / bank) {
        refuse(instruction, tile, "crosses a PSUM bank of {} bytes", bank);
    }
}

void check_same_shape(std::string_view instruction, const Tile& one, const Tile& other) {
    const auto differs = [&](const std::string& how) {
        refuse(instruction, one, "its shape differs from {}: {}", other.describe(), how);
    };
    if (one.partitions != other.partitions)
        differs(fmt::format("{} and {} partitions", one.partitions, other.partitions));
    if (one.axes.size() != other.axes.size())
        differs(fmt::format("{} and {} axes of columns", one.axes.size(), other.axes.size()));
    for (std::size_t i = 0; i < one.axes.size(); ++i) {
        if (one.axes[i].count != other.axes[i].count)
            differs(
                fmt::format("{} and {} columns in axis {}", one.axes[i].count, other.axes[i].count, i + 1));
    }
}

void check_per_partition(const target::Core& target, std::string_view instruction, const Tile& tile,
                         std::uint32_t partitions, std::span<const isa::Dtype> types) {
    check_operand(target, instruction, tile);
    check_partition_start(target, instruction, tile);
    const bool typed = std::ranges::find(types, tile.dtype) != types.end();
    if (tile.memory != target::Memory::Sbuf || !typed || tile.elements() != 1 ||
        tile.partitions != partitions) {
        std::vector<std::string_view> names;
        for (const isa::Dtype type : types) names.push_back(isa::name_of(type));
        refuse(instruction, tile, "a per-partition operand is SBUF {} [{}, 1]", fmt::join(names, " or "),
               partitions);
    }
}

}  // namespace trnsim::builder
