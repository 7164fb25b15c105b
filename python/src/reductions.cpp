// The Vector engine of the kernel builder in Python: reductions and scans.
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "python/src/builder.hpp"
#include "python/src/whole.hpp"

namespace trnsim::python {

namespace nb = nanobind;
using nb::literals::operator""_a;
using builder::AluOrder;
using builder::AluStep;
using builder::KernelBuilder;
using builder::Scalar;
using builder::Tile;

void bind_reductions(BuilderClass& builder) {
    const Rounding core(isa::Rounding::Core);
    builder
        .def(
            "tensor_reduce",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const AluOp& op, const Whole<"axes">& axes,
               const After& after, const Rounding& rounding, bool negate) {
                return k.tensor_reduce(
                    dst, a, op, {.axes = axes, .negate = negate, .after = list(after), .rounding = rounding},
                    Caller());
            },
            "dst"_a, "a"_a, "op"_a, "axes"_a = 1, "after"_a = NoEvents, "rounding"_a = core,
            "negate"_a = false, "Over the innermost `axes` axes.")
        .def(
            "tensor_scalar_reduce",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const AluOp& op0, const Scalar& operand0,
               const AluOp& op, bool reverse0, const ReduceCmd& reduce, const Scalar& initial,
               const After& after, const Rounding& rounding) {
                return k.tensor_scalar_reduce(
                    dst, a, AluStep{op0, operand0, reverse0}, op,
                    {.reduce = reduce, .initial = initial, .after = list(after), .rounding = rounding},
                    Caller());
            },
            "dst"_a, "a"_a, "op0"_a, "operand0"_a, "op"_a, "reverse0"_a = false,
            "reduce"_a = ReduceCmd(isa::ReduceCmd::ResetReduce), "initial"_a = Scalar(0.0f),
            "after"_a = NoEvents, "rounding"_a = core)
        .def(
            "read_accumulator",
            [](KernelBuilder& k, const Tile& dst, const After& after, const Rounding& rounding) {
                return k.read_accumulator(dst, {.after = list(after), .rounding = rounding}, Caller());
            },
            "dst"_a, "after"_a = NoEvents, "rounding"_a = core)
        .def(
            "tensor_tensor_scan",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const AluOp& op0, const AluOp& op1,
               const Tile& b, const Scalar& initial, bool reverse0, bool reverse1, const After& after,
               const Rounding& rounding) {
                return k.tensor_tensor_scan(dst, a, AluOrder(op0, reverse0), AluOrder(op1, reverse1), b,
                                            {.initial = initial, .after = list(after), .rounding = rounding},
                                            Caller());
            },
            "dst"_a, "a"_a, "op0"_a, "op1"_a, "b"_a, "initial"_a = Scalar(0.0f), "reverse0"_a = false,
            "reverse1"_a = false, "after"_a = NoEvents, "rounding"_a = core,
            "r[i] = (a[i] op0 r[i-1]) op1 b[i] from `initial`.")
        .def(
            "tensor_scalar_cumulative",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const AluOp& op0, const Scalar& operand0,
               const AluOp& op1, bool reverse0, bool reverse1, const After& after, const Rounding& rounding) {
                return k.tensor_scalar_cumulative(dst, a, AluStep{op0, operand0, reverse0},
                                                  AluOrder(op1, reverse1),
                                                  {.after = list(after), .rounding = rounding}, Caller());
            },
            "dst"_a, "a"_a, "op0"_a, "operand0"_a, "op1"_a, "reverse0"_a = false, "reverse1"_a = false,
            "after"_a = NoEvents, "rounding"_a = core, "r[i] = r[i-1] op1 (a[i] op0 operand0).")
        .def(
            "bn_stats",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const After& after,
               const Rounding& rounding) {
                return k.bn_stats(dst, a, {.after = list(after), .rounding = rounding}, Caller());
            },
            "dst"_a, "a"_a, "after"_a = NoEvents, "rounding"_a = core)
        .def(
            "bn_aggr",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const After& after,
               const Rounding& rounding) {
                return k.bn_aggr(dst, a, {.after = list(after), .rounding = rounding}, Caller());
            },
            "dst"_a, "a"_a, "after"_a = NoEvents, "rounding"_a = core);
}

}  // namespace trnsim::python
