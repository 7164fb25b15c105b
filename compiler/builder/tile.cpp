#include "compiler/builder/tile.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/builder/error.hpp"
#include "isa/element_type.hpp"

namespace trnsim::builder {
namespace {

void require(bool inside, const Tile& tile, const std::string& what) {
    if (!inside) throw Error(fmt::format("{} is outside {}", what, tile.describe()));
}

void move_by(Tile& tile, std::int64_t elements) {
    const std::int64_t bytes = elements * static_cast<std::int64_t>(isa::element_size(tile.dtype));
    tile.offset = static_cast<std::uint32_t>(static_cast<std::int64_t>(tile.offset) + bytes);
}

}  // namespace

Tile Tile::slice(std::size_t axis, std::uint32_t first, std::uint32_t count, const Where& where) const try {
    require(axis < axes.size() && count >= 1 && std::uint64_t{first} + count <= axes[axis].count, *this,
            fmt::format("slice {}+{} of axis {}", first, count, axis));
    Tile part = *this;
    move_by(part, first * axes[axis].step);
    part.axes[axis].count = count;
    return part;
} catch (const Error&) {
    throw_at(where);
}

Tile Tile::partition_slice(std::uint32_t first, std::uint32_t count, const Where& where) const try {
    require(count >= 1 && std::uint64_t{first} + count <= partitions, *this,
            fmt::format("partition slice {}+{}", first, count));
    Tile part = *this;
    part.partition += first;
    part.partitions = count;
    return part;
} catch (const Error&) {
    throw_at(where);
}

Tile Tile::at(std::size_t axis, std::uint32_t index, const Where& where) const {
    Tile part = slice(axis, index, 1, where);
    part.axes.erase(part.axes.begin() + static_cast<std::ptrdiff_t>(axis));
    return part;
}

std::uint64_t Tile::elements() const {
    std::uint64_t product = 1;
    for (const Axis& axis : axes) product *= axis.count;
    return product;
}

std::uint64_t Tile::first_byte() const {
    std::int64_t lowest = 0;
    for (const Axis& axis : axes) lowest += std::min<std::int64_t>(0, axis.step * (axis.count - 1));
    return static_cast<std::uint64_t>(offset + lowest * static_cast<std::int64_t>(isa::element_size(dtype)));
}

std::uint64_t Tile::end_byte() const {
    std::int64_t highest = 1;
    for (const Axis& axis : axes) highest += std::max<std::int64_t>(0, axis.step * (axis.count - 1));
    return static_cast<std::uint64_t>(offset + highest * static_cast<std::int64_t>(isa::element_size(dtype)));
}

bool Tile::is_apart_from(const Tile& other) const {
    return memory != other.memory || buffer != other.buffer || end_byte() <= other.first_byte() ||
           other.end_byte() <= first_byte();
}

std::string Tile::describe() const {
    std::string shape = std::to_string(partitions);
    for (const Axis& axis : axes) shape += fmt::format(", {}", axis.count);
    return fmt::format("{} {} [{}] at partition {} + 0x{:x}", name_of(memory), isa::name_of(dtype), shape,
                       partition, offset);
}

std::vector<Axis> packed_axes(const std::vector<std::uint32_t>& shape) {
    std::vector<Axis> axes(shape.size());
    std::int64_t step = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
        axes[i] = {shape[i], step};
        step *= shape[i];
    }
    return axes;
}

}  // namespace trnsim::builder
