// Optional arguments of calls of the builder, for designated initialisers: tensor_copy(dst, source, {.engine
// = isa::Engine::Scalar}). `after` adds to the events that the builder derives.
#pragma once

#include <optional>

#include "compiler/builder/event.hpp"
#include "compiler/builder/scalar.hpp"

namespace trnsim::builder {

// `rounding` is that of results that are narrowed to another float type; Core: the control register decides.
struct Rounded {
    After after{};
    isa::Rounding rounding = isa::Rounding::Core;
};

// The engine is Vector, Scalar or GpSimd, if it has the call. With `either` the schedule of steps chooses
// between Vector and Scalar, if both have the call.
struct OnEngine {
    After after{};
    isa::Rounding rounding = isa::Rounding::Core;
    isa::Engine engine = isa::Engine::Vector;
    bool either = false;
};

// With `inverted` the call acts on elements whose predicate is 0.
struct Predicated {
    bool inverted = false;
    After after{};
};

struct Selected {
    isa::ReduceCmd reduce = isa::ReduceCmd::Idle;
    bool inverted = false;
    After after{};
    isa::Rounding rounding = isa::Rounding::Core;
};

// `axes` is the number of innermost axes that are reduced.
struct Reduced {
    std::uint32_t axes = 1;
    bool negate = false;
    After after{};
    isa::Rounding rounding = isa::Rounding::Core;
};

// With ReduceCmd::Reset the accumulators start at `initial`.
struct Accumulated {
    isa::ReduceCmd reduce = isa::ReduceCmd::ResetReduce;
    Scalar initial = 0.0f;
    After after{};
    isa::Rounding rounding = isa::Rounding::Core;
};

struct Scanned {
    Scalar initial = 0.0f;
    After after{};
    isa::Rounding rounding = isa::Rounding::Core;
};

// The result is f(a * scale + bias).
struct Activated {
    Scalar scale = 1.0f;
    Scalar bias = -0.0f;  // -0 adds nothing, whatever the sign of a zero; a tile of any type but tf32
    float alpha = 0.0f;   // slope of prelu
    isa::ReduceCmd reduce = isa::ReduceCmd::Idle;
    After after{};
    isa::Rounding rounding = isa::Rounding::Core;
};

// `onezero`: an fp32 operand holds only 0 and 1, which halves the passes; low parts of other values are
// ignored.
struct Stationary {
    bool row_tile = false;                        // one row group of the array: that of its first partition
    std::optional<std::uint32_t> column_group{};  // use one column group
    bool onezero = false;
    After after{};
};

// Indices of rows in HBM. `first`: the index of the first row. `skip`: rows whose index is out of bounds are
// left out; otherwise such an index ends the run. `combine`: see KernelBuilder::combine(); bypass overwrites
// the destination.
struct Indexed {
    std::int32_t first = 0;
    bool skip = false;
    isa::AluOp combine = isa::AluOp::Bypass;
    After after{};
};

struct Moving {
    bool accumulate = false;
    bool onezero = false;
    After after{};
};

}  // namespace trnsim::builder
