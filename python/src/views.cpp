// Tiles and tensor views in Python: slices, shapes.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/src/builder.hpp"

namespace trnsim::python {
namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;
using builder::TensorView;
using builder::Tile;

struct Range {
    std::uint64_t first, count;
};

// One axis of tile[a:b, c:d].
Range to_range(const nb::handle& index, std::uint64_t size) {
    if (!nb::isinstance<nb::slice>(index))
        throw nb::type_error("expected a slice such as 0:16 for this axis");
    const auto [first, stop, step, count] = nb::cast<nb::slice>(index).compute(size);
    if (step != 1) throw nb::index_error("a slice has a step, expected neighbouring elements");
    return {static_cast<std::uint64_t>(first), count};
}

nb::tuple to_indices(const nb::object& indices, std::size_t axes) {
    nb::tuple all =
        nb::isinstance<nb::tuple>(indices) ? nb::cast<nb::tuple>(indices) : nb::make_tuple(indices);
    if (all.size() > axes) throw nb::index_error("more indices than axes");
    return all;
}

Tile part_of(const Tile& tile, const nb::object& object) {
    const nb::tuple indices = to_indices(object, tile.axes.size() + 1);
    const Range partitions = to_range(indices[0], tile.partitions);
    const Caller caller;
    Tile part = tile.partition_slice(static_cast<std::uint32_t>(partitions.first),
                                     static_cast<std::uint32_t>(partitions.count), caller);
    std::size_t axis = 0;
    for (std::size_t i = 1; i < indices.size(); ++i) {
        const std::uint32_t size = part.axes[axis].count;
        if (nb::isinstance<nb::int_>(indices[i])) {
            const auto index = nb::cast<std::int64_t>(indices[i]);
            part = part.at(axis, static_cast<std::uint32_t>(index < 0 ? index + size : index), caller);
        } else {
            const Range range = to_range(indices[i], size);
            part = part.slice(axis, static_cast<std::uint32_t>(range.first),
                              static_cast<std::uint32_t>(range.count), caller);
            ++axis;
        }
    }
    return part;
}

// One axis of view[i * 16 : i * 16 + 16] in a loop.
TensorView loop_part_of(const TensorView& view, std::size_t axis, const nb::object& first,
                        const nb::object& end) {
    const auto from = nb::cast<builder::LoopOffset>(first);
    if (nb::isinstance<builder::LoopOffset>(end)) {
        const auto to = nb::cast<builder::LoopOffset>(end);
        if (to.loop == from.loop && to.step == from.step && to.first > from.first)
            return view.slice(axis, from, static_cast<std::uint64_t>(to.first - from.first), Caller());
    }
    throw nb::index_error("a slice in a loop is i * step + offset : i * step + offset + count");
}

TensorView part_of(const TensorView& view, const nb::object& object) {
    const nb::tuple indices = to_indices(object, view.axes.size());
    TensorView part = view;
    for (std::size_t axis = 0; axis < indices.size(); ++axis) {
        if (nb::isinstance<nb::slice>(indices[axis])) {
            const nb::object first = indices[axis].attr("start");
            if (nb::isinstance<builder::LoopOffset>(first)) {
                part = loop_part_of(part, axis, first, indices[axis].attr("stop"));
                continue;
            }
        }
        const Range range = to_range(indices[axis], view.axes[axis].count);
        part = part.slice(axis, range.first, range.count, Caller());
    }
    return part;
}

using Steps = std::vector<std::pair<std::uint64_t, std::int64_t>>;  // count, step

// Throws nb::index_error when an element lies outside of the tensor.
TensorView pattern_of(const TensorView& view, std::uint64_t offset, const Steps& axes) {
    TensorView part = view;
    part.offset += offset;
    part.axes.clear();
    std::int64_t low = 0, high = 0;
    for (const auto& [count, step] : axes) {
        if (count == 0) throw nb::index_error("an axis of 0 elements");
        part.axes.push_back({count, step});
        const std::int64_t reach = static_cast<std::int64_t>(count - 1) * step;
        (reach < 0 ? low : high) += reach;
    }
    std::uint64_t elements = 1;
    for (const TensorView::Axis& axis : view.axes) elements *= axis.count;
    const auto first = static_cast<std::int64_t>(offset);
    if (first + low < 0 || first + high >= static_cast<std::int64_t>(elements))
        throw nb::index_error("an access pattern leaves its tensor");
    return part;
}

template <typename Axes>
nb::list counts(const Axes& axes) {
    nb::list list;
    for (const auto& axis : axes) list.append(axis.count);
    return list;
}

std::string_view dtype_name(isa::Dtype dtype) {
    return isa::name_of(dtype);
}

}  // namespace

void bind_views(nb::module_& module) {
    nb::class_<builder::Event>(module, "Event",
                               "The completion of a call; without one, something that has always happened.")
        .def(nb::init<>());
    nb::class_<builder::Queue>(module, "Queue", "A DMA queue of a kernel.")
        .def_ro("number", &builder::Queue::number);
    nb::class_<builder::GpsimdImage>(module, "GpsimdImage", "An image for the GpSimd cores in a kernel.")
        .def_ro("number", &builder::GpsimdImage::number);
    nb::class_<builder::Bank>(module, "Bank", "A PSUM bank.")
        .def(nb::init<std::uint32_t>(), "number"_a)
        .def_ro("number", &builder::Bank::number);
    nb::class_<Tile>(module, "Tile",
                     "A tensor [partitions, axes...] in SBUF or PSUM, or a part of one: tile[0:8, 0:64].")
        .def(
            "slice",
            [](const Tile& tile, std::size_t axis, std::uint32_t first, std::uint32_t count) {
                return tile.slice(axis, first, count, Caller());
            },
            "axis"_a, "first"_a, "count"_a)
        .def(
            "partition_slice",
            [](const Tile& tile, std::uint32_t first, std::uint32_t count) {
                return tile.partition_slice(first, count, Caller());
            },
            "first"_a, "count"_a)
        .def(
            "at",
            [](const Tile& tile, std::size_t axis, std::uint32_t index) {
                return tile.at(axis, index, Caller());
            },
            "axis"_a, "index"_a)
        .def(
            "part",
            [](const Tile& tile, const Whole<"partition">& partition, const Whole<"partitions">& partitions,
               const Whole<"offset">& offset, const Dtype& dtype,
               const TileAxes& axes) { return tile_of(tile, partition, partitions, offset, dtype, axes); },
            "partition"_a, "partitions"_a, "offset"_a, "dtype"_a, "axes"_a,
            "Of a buffer: any tile in it, as KernelBuilder.tile() has them.")
        .def(
            "__getitem__", [](const Tile& tile, const nb::object& index) { return part_of(tile, index); },
            "index"_a)
        .def_prop_ro("dtype", [](const Tile& tile) { return std::string(dtype_name(tile.dtype)); })
        .def_prop_ro(
            "shape",
            [](const Tile& tile) {
                nb::list shape = counts(tile.axes);
                shape.insert(0, tile.partitions);
                return nb::tuple(shape);
            },
            nb::sig("def shape(self) -> tuple[int, ...]"))
        .def("__repr__", &Tile::describe);
    nb::class_<TensorView>(module, "TensorView", "A tensor in HBM, or a part of one: x[0:16, 0:64].")
        .def(
            "slice",
            [](const TensorView& view, std::size_t axis, std::uint64_t first, std::uint64_t count) {
                return view.slice(axis, first, count, Caller());
            },
            "axis"_a, "first"_a, "count"_a)
        .def(
            "slice",
            [](const TensorView& view, std::size_t axis, const builder::LoopOffset& first,
               std::uint64_t count) { return view.slice(axis, first, count, Caller()); },
            "axis"_a, "first"_a, "count"_a)
        .def(
            "split",
            [](const TensorView& view, std::size_t axis, std::uint64_t inner) {
                return view.split(axis, inner, Caller());
            },
            "axis"_a, "inner"_a, "Axis of n * inner elements as two axes [n, inner].")
        .def(
            "swapped",
            [](const TensorView& view, std::size_t axis, std::size_t other) {
                return view.swapped(axis, other, Caller());
            },
            "axis"_a, "other"_a, "The same elements with two axes exchanged.")
        .def(
            "pattern", &pattern_of, "offset"_a, "axes"_a,
            "Of a view of a whole tensor: any access pattern on its elements, an offset and (count, step) of "
            "each axis.")
        .def(
            "__getitem__",
            [](const TensorView& view, const nb::object& index) { return part_of(view, index); }, "index"_a)
        .def_prop_ro("dtype", [](const TensorView& view) { return std::string(dtype_name(view.dtype)); })
        .def_prop_ro(
            "shape", [](const TensorView& view) { return nb::tuple(counts(view.axes)); },
            nb::sig("def shape(self) -> tuple[int, ...]"))
        .def("__repr__", &TensorView::describe);
}

}  // namespace trnsim::python
