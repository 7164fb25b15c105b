// The Vector engine of the kernel builder in Python, element by element.
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "python/src/builder.hpp"

namespace trnsim::python {

namespace nb = nanobind;
using nb::literals::operator""_a;
using builder::AluOrder;
using builder::AluStep;
using builder::KernelBuilder;
using builder::Scalar;
using builder::Tile;

void bind_elementwise(BuilderClass& builder) {
    const Rounding core(isa::Rounding::Core);
    const AluOp bypass(isa::AluOp::Bypass);
    builder
        .def(
            "tensor_copy",
            [](KernelBuilder& k, const Tile& dst, const Tile& source, const After& after,
               const Rounding& rounding, const Engine& engine, bool either) {
                return k.tensor_copy(
                    dst, source,
                    {.after = list(after), .rounding = rounding, .engine = engine, .either = either},
                    Caller());
            },
            "dst"_a, "source"_a, "after"_a = NoEvents, "rounding"_a = core,
            "engine"_a = Engine(isa::Engine::Vector), "either"_a = false,
            "dst = source. With `either` the schedule of steps chooses between Vector and Scalar.")
        .def(
            "tensor_scalar",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const AluOp& op0, const Scalar& operand0,
               bool reverse0, const AluOp& op1, const Scalar& operand1, bool reverse1, const After& after,
               const Rounding& rounding, const Engine& engine, bool either) {
                return k.tensor_scalar(
                    dst, a, AluStep{op0, operand0, reverse0}, AluStep{op1, operand1, reverse1},
                    {.after = list(after), .rounding = rounding, .engine = engine, .either = either},
                    Caller());
            },
            "dst"_a, "a"_a, "op0"_a, "operand0"_a, "reverse0"_a = false, "op1"_a = bypass,
            "operand1"_a = Scalar(0.0f), "reverse1"_a = false, "after"_a = NoEvents, "rounding"_a = core,
            "engine"_a = Engine(isa::Engine::Vector), "either"_a = false,
            "dst = (a op0 operand0) op1 operand1, on Vector, Scalar or GpSimd. With `either` the schedule of "
            "steps chooses between Vector and Scalar.")
        .def(
            "memset",
            [](KernelBuilder& k, const Tile& dst, const Scalar& value, const After& after,
               const Rounding& rounding, const Engine& engine) {
                return k.memset(dst, value, {.after = list(after), .rounding = rounding, .engine = engine},
                                Caller());
            },
            "dst"_a, "value"_a, "after"_a = NoEvents, "rounding"_a = core,
            "engine"_a = Engine(isa::Engine::Vector))
        .def(
            "tensor_tensor",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const AluOp& op, const Tile& b, bool reverse,
               const After& after, const Rounding& rounding, const Engine& engine) {
                return k.tensor_tensor(dst, a, AluOrder(op, reverse), b,
                                       {.after = list(after), .rounding = rounding, .engine = engine},
                                       Caller());
            },
            "dst"_a, "a"_a, "op"_a, "b"_a, "reverse"_a = false, "after"_a = NoEvents, "rounding"_a = core,
            "engine"_a = Engine(isa::Engine::Vector), "dst = a op b.")
        .def(
            "scalar_tensor_tensor",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const AluOp& op0, const Scalar& operand0,
               const AluOp& op1, const Tile& b, bool reverse0, bool reverse1, const After& after,
               const Rounding& rounding) {
                return k.scalar_tensor_tensor(dst, a, AluStep{op0, operand0, reverse0},
                                              AluOrder(op1, reverse1), b,
                                              {.after = list(after), .rounding = rounding}, Caller());
            },
            "dst"_a, "a"_a, "op0"_a, "operand0"_a, "op1"_a, "b"_a, "reverse0"_a = false, "reverse1"_a = false,
            "after"_a = NoEvents, "rounding"_a = core, "dst = (a op0 operand0) op1 b.")
        .def(
            "reciprocal",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const After& after,
               const Rounding& rounding) {
                return k.reciprocal(dst, a, {.after = list(after), .rounding = rounding}, Caller());
            },
            "dst"_a, "a"_a, "after"_a = NoEvents, "rounding"_a = core)
        .def(
            "tensor_copy_predicated",
            [](KernelBuilder& k, const Tile& dst, const Tile& predicate, const Tile& source,
               const After& after, bool inverted) {
                return k.tensor_copy_predicated(dst, predicate, source,
                                                {.inverted = inverted, .after = list(after)}, Caller());
            },
            "dst"_a, "predicate"_a, "source"_a, "after"_a = NoEvents, "inverted"_a = false)
        .def(
            "memset_predicated",
            [](KernelBuilder& k, const Tile& dst, const Tile& predicate, const Scalar& value,
               const After& after, bool inverted) {
                return k.memset_predicated(dst, predicate, value,
                                           {.inverted = inverted, .after = list(after)}, Caller());
            },
            "dst"_a, "predicate"_a, "value"_a, "after"_a = NoEvents, "inverted"_a = false)
        .def(
            "select_reduce",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const Tile& predicate,
               const Scalar& otherwise, const ReduceCmd& reduce, const After& after, const Rounding& rounding,
               bool inverted) {
                return k.select_reduce(
                    dst, a, predicate, otherwise,
                    {.reduce = reduce, .inverted = inverted, .after = list(after), .rounding = rounding},
                    Caller());
            },
            "dst"_a, "a"_a, "predicate"_a, "otherwise"_a, "reduce"_a = ReduceCmd(isa::ReduceCmd::Idle),
            "after"_a = NoEvents, "rounding"_a = core, "inverted"_a = false);
}

}  // namespace trnsim::python
