// The Tensor and Scalar engines of the kernel builder in Python.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "python/src/builder.hpp"

namespace trnsim::python {

namespace nb = nanobind;
using nb::literals::operator""_a;
using builder::KernelBuilder;
using builder::Scalar;
using builder::Tile;

void bind_tensor_engine(BuilderClass& builder) {
    builder
        .def(
            "load_stationary",
            [](KernelBuilder& k, const Tile& stationary, const After& after, bool row_tile,
               std::optional<std::uint32_t> column_group, bool onezero) {
                return k.load_stationary(stationary,
                                         {.row_tile = row_tile,
                                          .column_group = column_group,
                                          .onezero = onezero,
                                          .after = list(after)},
                                         Caller());
            },
            "stationary"_a, "after"_a = NoEvents, "row_tile"_a = false, "column_group"_a.none() = nb::none(),
            "onezero"_a = false, "Stationary operand [K, M] of the next multiply_moving.")
        .def(
            "multiply_moving",
            [](KernelBuilder& k, const Tile& dst, const Tile& moving, bool accumulate, const After& after,
               bool onezero) {
                return k.multiply_moving(dst, moving,
                                         {.accumulate = accumulate, .onezero = onezero, .after = list(after)},
                                         Caller());
            },
            "dst"_a, "moving"_a, "accumulate"_a = false, "after"_a = NoEvents, "onezero"_a = false,
            "dst[M, ...] (+)= stationary.T @ moving[K, ...].");
}

void bind_scalar_engine(BuilderClass& builder) {
    const Rounding core(isa::Rounding::Core);
    builder
        .def(
            "activation",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const Activation& function,
               const Scalar& scale, const Scalar& bias, float alpha, const ReduceCmd& reduce,
               const After& after, const Rounding& rounding) {
                return k.activation(dst, a, function,
                                    {.scale = scale,
                                     .bias = bias,
                                     .alpha = alpha,
                                     .reduce = reduce,
                                     .after = list(after),
                                     .rounding = rounding},
                                    Caller());
            },
            "dst"_a, "a"_a, "function"_a, "scale"_a = Scalar(1.0f), "bias"_a = Scalar(-0.0f),
            "alpha"_a = 0.0f, "reduce"_a = ReduceCmd(isa::ReduceCmd::Idle), "after"_a = NoEvents,
            "rounding"_a = core, "dst = function(a * scale + bias) on Scalar.")
        .def(
            "load_table_of",
            [](KernelBuilder& k, const Activation& function) { k.load_table_of(function, Caller()); },
            "function"_a)
        .def(
            "act_table_load",
            [](KernelBuilder& k, const Name<isa::ActivationSet>& set) { k.act_table_load(set, Caller()); },
            "set"_a)
        .def(
            "act_read_accumulator",
            [](KernelBuilder& k, const Tile& dst, const After& after, const Rounding& rounding) {
                return k.act_read_accumulator(dst, {.after = list(after), .rounding = rounding}, Caller());
            },
            "dst"_a, "after"_a = NoEvents, "rounding"_a = core);
}

}  // namespace trnsim::python
