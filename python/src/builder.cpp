// The kernel builder in Python: the calls of lib/builder/kernel_builder.hpp with keyword arguments.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <map>
#include <span>

#include "lib/builder/error.hpp"
#include "lib/builder/kernel_builder.hpp"
#include "python/src/bindings.hpp"
#include "python/src/names.hpp"

namespace trnsim::python {
namespace {

using isa::EnumValue;

struct Values {
    std::string_view what;
    std::span<const EnumValue> values;
};
Values values_of(isa::Engine) {
    return {"engine", isa::engine_values()};
}
Values values_of(isa::Dtype) {
    return {"element type", isa::dtype_values()};
}
Values values_of(isa::AluOp) {
    return {"operation", isa::alu_op_values()};
}
Values values_of(isa::Activation) {
    return {"activation function", isa::activation_values()};
}
Values values_of(isa::ActivationSet) {
    return {"table set", isa::activation_set_values()};
}
Values values_of(isa::ReduceCmd) {
    return {"reduce command", isa::reduce_cmd_values()};
}
Values values_of(isa::Rounding) {
    return {"rounding", isa::rounding_values()};
}

constexpr EnumValue KindValues[] = {{0, "input"}, {1, "output"}, {2, "scratch"}, {3, "update"}};

// NumPy's and ml_dtypes' names of the element types.
const std::map<std::string_view, std::string_view> NumpyNames{{"float32", "fp32"},
                                                              {"float16", "fp16"},
                                                              {"bfloat16", "bf16"},
                                                              {"float8_e3m4", "fp8_e3m4"},
                                                              {"float8_e4m3", "fp8_e4m3"},
                                                              {"float8_e5m2", "fp8_e5m2"},
                                                              {"int8", "i8"},
                                                              {"uint8", "u8"},
                                                              {"int16", "i16"},
                                                              {"uint16", "u16"},
                                                              {"int32", "i32"},
                                                              {"uint32", "u32"}};

std::uint8_t find(std::string_view name, const Values& values) {
    for (const EnumValue& value : values.values) {
        if (value.name == name) return value.value;
    }
    std::vector<std::string_view> names;
    for (const EnumValue& value : values.values) names.push_back(value.name);
    throw builder::Error(
        fmt::format("{} '{}' is not known, expected one of {}", values.what, name, fmt::join(names, ", ")));
}

}  // namespace

template <typename E>
Name<E>::operator E() const {
    const auto alias = NumpyNames.find(text);
    return static_cast<E>(find(alias == NumpyNames.end() ? text : alias->second, values_of(E{})));
}
template struct Name<isa::Engine>;
template struct Name<isa::Dtype>;

namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;
using builder::AluOrder;
using builder::AluStep;
using builder::Event;
using builder::KernelBuilder;
using builder::Scalar;
using builder::TensorView;
using builder::Tile;

using Engine = Name<isa::Engine>;
using Dtype = Name<isa::Dtype>;
using AluOp = Name<isa::AluOp>;
using Activation = Name<isa::Activation>;
using ReduceCmd = Name<isa::ReduceCmd>;
using Rounding = Name<isa::Rounding>;

using After = std::variant<Event, std::vector<Event>>;  // one event or several

builder::After list(const After& after) {
    if (const Event* event = std::get_if<Event>(&after)) return {*event};
    return std::get<std::vector<Event>>(after);
}

const After NoEvents = std::vector<Event>{};

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
    Tile part = tile.partition_slice(static_cast<std::uint32_t>(partitions.first),
                                     static_cast<std::uint32_t>(partitions.count));
    std::size_t axis = 0;
    for (std::size_t i = 1; i < indices.size(); ++i) {
        const std::uint32_t size = part.axes[axis].count;
        if (nb::isinstance<nb::int_>(indices[i])) {
            const auto index = nb::cast<std::int64_t>(indices[i]);
            part = part.at(axis, static_cast<std::uint32_t>(index < 0 ? index + size : index));
        } else {
            const Range range = to_range(indices[i], size);
            part = part.slice(axis, static_cast<std::uint32_t>(range.first),
                              static_cast<std::uint32_t>(range.count));
            ++axis;
        }
    }
    return part;
}

TensorView part_of(const TensorView& view, const nb::object& object) {
    const nb::tuple indices = to_indices(object, view.axes.size());
    TensorView part = view;
    for (std::size_t axis = 0; axis < indices.size(); ++axis) {
        const Range range = to_range(indices[axis], view.axes[axis].count);
        part = part.slice(axis, range.first, range.count);
    }
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

void bind_views(nb::module_& module) {
    nb::class_<Event>(module, "Event",
                      "The completion of a call; without one, something that has always happened.")
        .def(nb::init<>());
    nb::class_<Tile>(module, "Tile",
                     "A tensor [partitions, axes...] in SBUF or PSUM, or a part of one: tile[0:8, 0:64].")
        .def("slice", &Tile::slice, "axis"_a, "first"_a, "count"_a)
        .def("partition_slice", &Tile::partition_slice, "first"_a, "count"_a)
        .def("at", &Tile::at, "axis"_a, "index"_a)
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
        .def("slice", &TensorView::slice, "axis"_a, "first"_a, "count"_a)
        .def("split", &TensorView::split, "axis"_a, "inner"_a,
             "Axis of n * inner elements as two axes [n, inner].")
        .def("swapped", &TensorView::swapped, "axis"_a, "other"_a,
             "The same elements with two axes exchanged.")
        .def(
            "__getitem__",
            [](const TensorView& view, const nb::object& index) { return part_of(view, index); }, "index"_a)
        .def_prop_ro("dtype", [](const TensorView& view) { return std::string(dtype_name(view.dtype)); })
        .def_prop_ro(
            "shape", [](const TensorView& view) { return nb::tuple(counts(view.axes)); },
            nb::sig("def shape(self) -> tuple[int, ...]"))
        .def("__repr__", &TensorView::describe);
}

using Class = nb::class_<KernelBuilder>;

// What a kernel has, and how it moves.
void bind_memory(Class& builder) {
    builder
        .def(
            "tensor",
            [](KernelBuilder& k, const std::string& name, const std::string& kind, const Dtype& dtype,
               const std::vector<std::uint64_t>& shape) {
                return k.tensor(name,
                                static_cast<neff::TensorKind>(find(kind, {"kind of tensor", KindValues})),
                                dtype, shape);
            },
            "name"_a, "kind"_a, "dtype"_a, "shape"_a,
            "Declares a tensor in HBM, an \"input\", \"output\", \"update\" or \"scratch\": a view of all of "
            "it.")
        .def(
            "sbuf",
            [](KernelBuilder& k, std::uint32_t partitions, const Dtype& dtype,
               const std::vector<std::uint32_t>& shape) { return k.sbuf(partitions, dtype, shape); },
            "partitions"_a, "dtype"_a, "shape"_a, "A packed tile in SBUF from partition 0.")
        .def("psum", &KernelBuilder::psum, "bank"_a, "partitions"_a, "columns"_a,
             "An fp32 tile at the start of a PSUM bank; banks are not reserved.")
        .def("sbuf_left", &KernelBuilder::sbuf_left)
        .def("sbuf_mark", &KernelBuilder::sbuf_mark)
        .def("sbuf_release", &KernelBuilder::sbuf_release, "mark"_a)
        .def(
            "queue",
            [](KernelBuilder& k, const std::string& name, const Engine& owner) {
                return k.queue(name, owner);
            },
            "name"_a, "owner"_a = Engine(isa::Engine::Sync), "A DMA queue, triggered by an engine.")
        .def(
            "load",
            [](KernelBuilder& k, std::uint32_t queue, const Tile& to, const TensorView& from,
               const After& after) { return k.load(queue, to, from, list(after)); },
            "queue"_a, "to"_a, "source"_a, "after"_a = NoEvents, "HBM to SBUF or PSUM.")
        .def(
            "store",
            [](KernelBuilder& k, std::uint32_t queue, const TensorView& to, const Tile& from,
               const After& after) { return k.store(queue, to, from, list(after)); },
            "queue"_a, "to"_a, "source"_a, "after"_a = NoEvents, "SBUF or PSUM to HBM.")
        .def(
            "wait",
            [](KernelBuilder& k, const Engine& engine, const After& after) { k.wait(engine, list(after)); },
            "engine"_a, "after"_a, "The engine issues nothing further before the events.")
        .def("finish", &KernelBuilder::finish, "The package. Call once.");
}

void bind_tensor_engine(Class& builder) {
    builder
        .def(
            "load_stationary",
            [](KernelBuilder& k, const Tile& stationary, const After& after, bool row_tile,
               std::optional<std::uint32_t> column_group, bool onezero) {
                return k.load_stationary(stationary, list(after), {row_tile, column_group, onezero});
            },
            "stationary"_a, "after"_a = NoEvents, "row_tile"_a = false, "column_group"_a.none() = nb::none(),
            "onezero"_a = false, "Stationary operand [K, M] of the next multiply_moving.")
        .def(
            "multiply_moving",
            [](KernelBuilder& k, const Tile& dst, const Tile& moving, bool accumulate, const After& after,
               bool onezero) { return k.multiply_moving(dst, moving, accumulate, list(after), onezero); },
            "dst"_a, "moving"_a, "accumulate"_a = false, "after"_a = NoEvents, "onezero"_a = false,
            "dst[M, ...] (+)= stationary.T @ moving[K, ...].");
}

void bind_elementwise(Class& builder) {
    const Rounding core(isa::Rounding::Core);
    const AluOp bypass(isa::AluOp::Bypass);
    builder
        .def(
            "tensor_copy",
            [](KernelBuilder& k, const Tile& dst, const Tile& source, const After& after,
               const Rounding& rounding,
               const Engine& engine) { return k.tensor_copy(dst, source, list(after), rounding, engine); },
            "dst"_a, "source"_a, "after"_a = NoEvents, "rounding"_a = core,
            "engine"_a = Engine(isa::Engine::Vector))
        .def(
            "tensor_scalar",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const AluOp& op0, const Scalar& operand0,
               bool reverse0, const AluOp& op1, const Scalar& operand1, bool reverse1, const After& after,
               const Rounding& rounding, const Engine& engine) {
                return k.tensor_scalar(dst, a, AluStep{op0, operand0, reverse0},
                                       AluStep{op1, operand1, reverse1}, list(after), rounding, engine);
            },
            "dst"_a, "a"_a, "op0"_a, "operand0"_a, "reverse0"_a = false, "op1"_a = bypass,
            "operand1"_a = Scalar(0.0f), "reverse1"_a = false, "after"_a = NoEvents, "rounding"_a = core,
            "engine"_a = Engine(isa::Engine::Vector),
            "dst = (a op0 operand0) op1 operand1, on Vector or Scalar.")
        .def(
            "memset",
            [](KernelBuilder& k, const Tile& dst, const Scalar& value, const After& after,
               const Rounding& rounding) { return k.memset(dst, value, list(after), rounding); },
            "dst"_a, "value"_a, "after"_a = NoEvents, "rounding"_a = core)
        .def(
            "tensor_tensor",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const AluOp& op, const Tile& b, bool reverse,
               const After& after, const Rounding& rounding) {
                return k.tensor_tensor(dst, a, AluOrder(op, reverse), b, list(after), rounding);
            },
            "dst"_a, "a"_a, "op"_a, "b"_a, "reverse"_a = false, "after"_a = NoEvents, "rounding"_a = core,
            "dst = a op b.")
        .def(
            "scalar_tensor_tensor",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const AluOp& op0, const Scalar& operand0,
               const AluOp& op1, const Tile& b, bool reverse0, bool reverse1, const After& after,
               const Rounding& rounding) {
                return k.scalar_tensor_tensor(dst, a, AluStep{op0, operand0, reverse0},
                                              AluOrder(op1, reverse1), b, list(after), rounding);
            },
            "dst"_a, "a"_a, "op0"_a, "operand0"_a, "op1"_a, "b"_a, "reverse0"_a = false, "reverse1"_a = false,
            "after"_a = NoEvents, "rounding"_a = core, "dst = (a op0 operand0) op1 b.")
        .def(
            "reciprocal",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const After& after,
               const Rounding& rounding) { return k.reciprocal(dst, a, list(after), rounding); },
            "dst"_a, "a"_a, "after"_a = NoEvents, "rounding"_a = core)
        .def(
            "tensor_copy_predicated",
            [](KernelBuilder& k, const Tile& dst, const Tile& predicate, const Tile& source,
               const After& after, bool inverted) {
                return k.tensor_copy_predicated(dst, predicate, source, list(after), inverted);
            },
            "dst"_a, "predicate"_a, "source"_a, "after"_a = NoEvents, "inverted"_a = false)
        .def(
            "memset_predicated",
            [](KernelBuilder& k, const Tile& dst, const Tile& predicate, const Scalar& value,
               const After& after,
               bool inverted) { return k.memset_predicated(dst, predicate, value, list(after), inverted); },
            "dst"_a, "predicate"_a, "value"_a, "after"_a = NoEvents, "inverted"_a = false)
        .def(
            "select_reduce",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const Tile& predicate,
               const Scalar& otherwise, const ReduceCmd& reduce, const After& after, const Rounding& rounding,
               bool inverted) {
                return k.select_reduce(dst, a, predicate, otherwise, reduce, list(after), rounding, inverted);
            },
            "dst"_a, "a"_a, "predicate"_a, "otherwise"_a, "reduce"_a = ReduceCmd(isa::ReduceCmd::Idle),
            "after"_a = NoEvents, "rounding"_a = core, "inverted"_a = false);
}

void bind_reductions(Class& builder) {
    const Rounding core(isa::Rounding::Core);
    builder
        .def(
            "tensor_reduce",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const AluOp& op, std::uint32_t axes,
               const After& after, const Rounding& rounding,
               bool negate) { return k.tensor_reduce(dst, a, op, axes, list(after), rounding, negate); },
            "dst"_a, "a"_a, "op"_a, "axes"_a = 1, "after"_a = NoEvents, "rounding"_a = core,
            "negate"_a = false, "Over the innermost `axes` axes.")
        .def(
            "tensor_scalar_reduce",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const AluOp& op0, const Scalar& operand0,
               const AluOp& op, bool reverse0, const ReduceCmd& reduce, const Scalar& initial,
               const After& after, const Rounding& rounding) {
                return k.tensor_scalar_reduce(dst, a, AluStep{op0, operand0, reverse0}, op, reduce,
                                              list(after), rounding, initial);
            },
            "dst"_a, "a"_a, "op0"_a, "operand0"_a, "op"_a, "reverse0"_a = false,
            "reduce"_a = ReduceCmd(isa::ReduceCmd::ResetReduce), "initial"_a = Scalar(0.0f),
            "after"_a = NoEvents, "rounding"_a = core)
        .def(
            "read_accumulator",
            [](KernelBuilder& k, const Tile& dst, const After& after, const Rounding& rounding) {
                return k.read_accumulator(dst, list(after), rounding);
            },
            "dst"_a, "after"_a = NoEvents, "rounding"_a = core)
        .def(
            "tensor_tensor_scan",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const AluOp& op0, const AluOp& op1,
               const Tile& b, const Scalar& initial, bool reverse0, bool reverse1, const After& after,
               const Rounding& rounding) {
                return k.tensor_tensor_scan(dst, a, AluOrder(op0, reverse0), AluOrder(op1, reverse1), b,
                                            initial, list(after), rounding);
            },
            "dst"_a, "a"_a, "op0"_a, "op1"_a, "b"_a, "initial"_a = Scalar(0.0f), "reverse0"_a = false,
            "reverse1"_a = false, "after"_a = NoEvents, "rounding"_a = core,
            "r[i] = (a[i] op0 r[i-1]) op1 b[i] from `initial`.")
        .def(
            "tensor_scalar_cumulative",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const AluOp& op0, const Scalar& operand0,
               const AluOp& op1, bool reverse0, bool reverse1, const After& after, const Rounding& rounding) {
                return k.tensor_scalar_cumulative(dst, a, AluStep{op0, operand0, reverse0},
                                                  AluOrder(op1, reverse1), list(after), rounding);
            },
            "dst"_a, "a"_a, "op0"_a, "operand0"_a, "op1"_a, "reverse0"_a = false, "reverse1"_a = false,
            "after"_a = NoEvents, "rounding"_a = core, "r[i] = r[i-1] op1 (a[i] op0 operand0).")
        .def(
            "bn_stats",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const After& after,
               const Rounding& rounding) { return k.bn_stats(dst, a, list(after), rounding); },
            "dst"_a, "a"_a, "after"_a = NoEvents, "rounding"_a = core)
        .def(
            "bn_aggr",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const After& after,
               const Rounding& rounding) { return k.bn_aggr(dst, a, list(after), rounding); },
            "dst"_a, "a"_a, "after"_a = NoEvents, "rounding"_a = core);
}

void bind_movement(Class& builder) {
    const Rounding core(isa::Rounding::Core);
    builder
        .def(
            "max8",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const After& after,
               const Rounding& rounding) { return k.max8(dst, a, list(after), rounding); },
            "dst"_a, "a"_a, "after"_a = NoEvents, "rounding"_a = core)
        .def(
            "find_index8",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const Tile& values, const After& after) {
                return k.find_index8(dst, a, values, list(after));
            },
            "dst"_a, "a"_a, "values"_a, "after"_a = NoEvents)
        .def(
            "match_replace8",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const Tile& values,
               const Scalar& replacement, const After& after, const Rounding& rounding) {
                return k.match_replace8(dst, a, values, replacement, list(after), rounding);
            },
            "dst"_a, "a"_a, "values"_a, "replacement"_a, "after"_a = NoEvents, "rounding"_a = core)
        .def(
            "load_shuffle_mask",
            [](KernelBuilder& k, const std::vector<std::uint8_t>& mask, const After& after) {
                return k.load_shuffle_mask(mask, list(after));
            },
            "mask"_a, "after"_a = NoEvents)
        .def(
            "stream_shuffle",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const After& after) {
                return k.stream_shuffle(dst, a, list(after));
            },
            "dst"_a, "a"_a, "after"_a = NoEvents)
        .def(
            "transpose_block",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const After& after) {
                return k.transpose_block(dst, a, list(after));
            },
            "dst"_a, "a"_a, "after"_a = NoEvents)
        .def(
            "dropout",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const Scalar& probability,
               const After& after,
               const Rounding& rounding) { return k.dropout(dst, a, probability, list(after), rounding); },
            "dst"_a, "a"_a, "probability"_a, "after"_a = NoEvents, "rounding"_a = core)
        .def(
            "rng",
            [](KernelBuilder& k, const Tile& dst, const After& after) { return k.rng(dst, list(after)); },
            "dst"_a, "after"_a = NoEvents)
        .def(
            "set_rng_seed",
            [](KernelBuilder& k, const Tile& seed, const After& after) {
                return k.set_rng_seed(seed, list(after));
            },
            "seed"_a, "after"_a = NoEvents);
}

void bind_scalar_engine(Class& builder) {
    const Rounding core(isa::Rounding::Core);
    builder
        .def(
            "activation",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const Activation& function,
               const Scalar& scale, const Scalar& bias, float alpha, const ReduceCmd& reduce,
               const After& after, const Rounding& rounding) {
                return k.activation(dst, a, function, {scale, bias, alpha, reduce}, list(after), rounding);
            },
            "dst"_a, "a"_a, "function"_a, "scale"_a = Scalar(1.0f), "bias"_a = Scalar(-0.0f),
            "alpha"_a = 0.0f, "reduce"_a = ReduceCmd(isa::ReduceCmd::Idle), "after"_a = NoEvents,
            "rounding"_a = core, "dst = function(a * scale + bias) on Scalar.")
        .def(
            "load_table_of", [](KernelBuilder& k, const Activation& function) { k.load_table_of(function); },
            "function"_a)
        .def(
            "act_table_load",
            [](KernelBuilder& k, const Name<isa::ActivationSet>& set) { k.act_table_load(set); }, "set"_a)
        .def(
            "act_read_accumulator",
            [](KernelBuilder& k, const Tile& dst, const After& after, const Rounding& rounding) {
                return k.act_read_accumulator(dst, list(after), rounding);
            },
            "dst"_a, "after"_a = NoEvents, "rounding"_a = core);
}

}  // namespace

void bind_builder(nb::module_& module) {
    bind_views(module);
    Class builder(
        module, "KernelBuilder",
        "Writes a kernel: every engine and queue runs its own calls in order, and nothing else orders two "
        "engines. What a call reads, and who must be done with what it overwrites, has to be in its "
        "`after`.");
    builder.def(
        "__init__",
        [](KernelBuilder* self, std::string name, const config::Config& config, std::string arguments) {
            new (self) KernelBuilder(std::move(name), std::move(arguments), builder::target_of(config));
        },
        "name"_a, "config"_a, "arguments"_a = "");
    bind_memory(builder);
    bind_tensor_engine(builder);
    bind_elementwise(builder);
    bind_reductions(builder);
    bind_movement(builder);
    bind_scalar_engine(builder);
}

}  // namespace trnsim::python
