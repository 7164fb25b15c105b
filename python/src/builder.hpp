// What the parts of the binding of KernelBuilder share.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/builder/kernel_builder.hpp"
#include "python/src/names.hpp"
#include "python/src/whole.hpp"

namespace trnsim::python {

using BuilderClass = nanobind::class_<builder::KernelBuilder>;

void bind_views(nanobind::module_& module);
void bind_loops(nanobind::module_& module, BuilderClass& builder);
void bind_tensor_engine(BuilderClass& builder);
void bind_scalar_engine(BuilderClass& builder);
void bind_elementwise(BuilderClass& builder);
void bind_reductions(BuilderClass& builder);
void bind_movement(BuilderClass& builder);
void bind_gpsimd(BuilderClass& builder);
void bind_collectives(BuilderClass& builder);
void bind_steps(nanobind::module_& module, BuilderClass& builder);

// "sbuf" or "psum". Throws builder::Error for another.
target::Memory memory_called(const std::string& name);

using Engine = Name<isa::Engine>;
using Dtype = Name<isa::Dtype>;
using AluOp = Name<isa::AluOp>;
using Activation = Name<isa::Activation>;
using ReduceCmd = Name<isa::ReduceCmd>;
using Rounding = Name<isa::Rounding>;

// (count, step) of each axis.
using TileAxes = std::vector<std::pair<Whole<"axes">, std::int64_t>>;

// A tile on the memory of another, and on its buffer.
inline builder::Tile tile_of(builder::Tile tile, std::uint32_t partition, std::uint32_t partitions,
                             std::uint32_t offset, isa::Dtype dtype, const TileAxes& axes) {
    tile.partition = partition;
    tile.partitions = partitions;
    tile.offset = offset;
    tile.dtype = dtype;
    tile.axes.clear();
    for (const auto& [count, step] : axes) tile.axes.push_back({count, step});
    return tile;
}

// One event or several.
using After = std::variant<builder::Event, std::vector<builder::Event>>;

inline builder::After list(const After& after) {
    if (const auto* event = std::get_if<builder::Event>(&after)) return {*event};
    return std::get<std::vector<builder::Event>>(after);
}

inline const After NoEvents = std::vector<builder::Event>{};

// The line of Python that called the builder, or the place that has been noted.
class Caller {
  public:
    // All calls from now on have this place; without a file each has its own.
    static void note(const std::optional<std::string>& file, std::uint32_t line) {
        noted_ = file ? std::make_optional(std::pair(*file, line)) : std::nullopt;
    }

    Caller() {
        if (noted_) return;
        PyFrameObject* frame = PyEval_GetFrame();
        if (frame == nullptr) return;
        const auto code = nanobind::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
        file_ = code.attr("co_filename");
        line_ = static_cast<std::uint32_t>(PyFrame_GetLineNumber(frame));
    }
    // Valid as long as the caller.
    operator builder::Where() const {  // NOLINT
        if (noted_) return {noted_->first, noted_->second};
        return {file_.is_valid() ? nanobind::borrow<nanobind::str>(file_).c_str() : "", line_};
    }

  private:
    static inline std::optional<std::pair<std::string, std::uint32_t>> noted_;

    nanobind::object file_;
    std::uint32_t line_ = 0;
};

}  // namespace trnsim::python
