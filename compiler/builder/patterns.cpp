#include "compiler/builder/patterns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "compiler/builder/error.hpp"
#include "isa/element_type.hpp"

namespace trnsim::builder {

namespace {

struct Dimension {
    std::uint64_t count;
    std::int64_t tensor_step, core_step;  // bytes
};

// Returns the difference between a view and a tile that a transfer cannot bridge; empty if there is none.
std::string misfit(const Tile& tile, const TensorView& view) {
    if (tile.dtype != view.dtype)
        return fmt::format("the types are {} and {}, expected the same", isa::name_of(view.dtype),
                           isa::name_of(tile.dtype));
    if (view.axes.size() != tile.axes.size() + 1)
        return fmt::format("{} axes for the partitions and {} axes of columns", view.axes.size(),
                           tile.axes.size());
    if (view.axes[0].count != tile.partitions)
        return fmt::format("axis 0 has {} elements, for {} partitions", view.axes[0].count, tile.partitions);
    for (std::size_t i = 1; i < view.axes.size(); ++i) {
        if (view.axes[i].count != tile.axes[i - 1].count)
            return fmt::format("axis {} has {} elements, for {} columns", i, view.axes[i].count,
                               tile.axes[i - 1].count);
    }
    return "";
}

// Returns the dimensions, outermost first, partitions included.
std::vector<Dimension> dimensions(const target::Core& target, const Tile& tile, const TensorView& view) {
    if (const std::string why = misfit(tile, view); !why.empty()) {
        throw Error(fmt::format("transfer: {} {} does not fit {}: {}", isa::name_of(view.dtype),
                                view.describe(), tile.describe(), why));
    }
    const std::int64_t bytes = isa::element_size(tile.dtype);
    std::vector<Dimension> all;
    for (std::size_t i = 0; i < view.axes.size(); ++i) {
        const std::int64_t step =
            i == 0 ? partition_stride(target, tile.memory) : tile.axes[i - 1].step * bytes;
        all.push_back({view.axes[i].count, view.axes[i].step * bytes, step});
    }
    return all;
}

}  // namespace

void set_shape(isa::Instruction& instruction, const Tile& tile) {
    isa::Counts counts{1, 1, 1, 1};
    std::ranges::transform(tile.axes.rbegin(), tile.axes.rend(), counts.begin(),
                           [](const Axis& axis) { return axis.count; });
    for (std::size_t i = 0; i < counts.size(); ++i) instruction.set(*isa::count_fields()[i], counts[i]);
}

void set_operand(isa::Instruction& instruction, isa::Role role, const target::Core& target,
                 const Tile& tile) {
    const isa::OperandFields& fields = isa::fields_of(role);
    instruction.set(*fields.address, address_of(target, tile.memory, tile.partition, tile.offset))
        .set(*fields.dtype, tile.dtype);
    for (std::size_t i = 0; i < tile.axes.size(); ++i) {
        const Axis& axis = tile.axes[tile.axes.size() - 1 - i];
        if (axis.count > 1 || i == 0)
            instruction.set_signed(*fields.steps[i], axis.count > 1 ? axis.step : 1);
    }
}

neff::Pattern first_element(const TensorView& view) {
    neff::Pattern pattern;
    pattern.place = neff::Pattern::Space::Tensor;
    pattern.tensor = view.tensor;
    pattern.offset = view.offset * isa::element_size(view.dtype);
    if (view.iteration_step != 0) {
        pattern.iteration_step[0] =
            view.iteration_step * static_cast<std::int64_t>(isa::element_size(view.dtype));
        pattern.iteration_count[0] = view.iterations;
    }
    return pattern;
}

PatternPair transfer_patterns(const target::Core& target, const Tile& tile, const TensorView& view) {
    std::vector<Dimension> merged;  // innermost first
    std::vector<Dimension> all = dimensions(target, tile, view);
    std::ranges::reverse(all);
    for (const Dimension& dimension : all) {
        if (dimension.count == 1) continue;
        if (!merged.empty()) {
            Dimension& inner = merged.back();
            const auto count = static_cast<std::int64_t>(inner.count);
            if (dimension.tensor_step == inner.tensor_step * count &&
                dimension.core_step == inner.core_step * count) {
                inner.count *= dimension.count;
                continue;
            }
        }
        merged.push_back(dimension);
    }
    PatternPair pair;
    if (merged.size() > pair.tensor.count.size()) {
        throw Error(fmt::format("transfer: {} <-> {} needs more than {} dimensions", view.describe(),
                                tile.describe(), pair.tensor.count.size()));
    }
    pair.tensor = first_element(view);
    pair.core.place = neff::Pattern::Space::Core;
    pair.core.offset = address_of(target, tile.memory, tile.partition, tile.offset);
    for (std::size_t i = 0; i < merged.size(); ++i) {
        pair.tensor.count[i] = pair.core.count[i] = static_cast<std::uint32_t>(merged[i].count);
        pair.tensor.step[i] = merged[i].tensor_step;
        pair.core.step[i] = merged[i].core_step;
    }
    return pair;
}

void combine_by(neff::Transfer& transfer, isa::AluOp op, isa::Dtype dtype) {
    if (op == isa::AluOp::Bypass) return;
    constexpr std::array Operations{isa::AluOp::Add, isa::AluOp::Multiply, isa::AluOp::Min, isa::AluOp::Max};
    if (std::ranges::find(Operations, op) == Operations.end())
        throw Error(fmt::format("{}: combines by {}, expected add, multiply, min or max", transfer.name,
                                isa::name_of(op)));
    transfer.combination = {op, dtype};
}

}  // namespace trnsim::builder
