#include "compiler/builder/tensor_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/builder/error.hpp"

namespace trnsim::builder {

TensorView TensorView::slice(std::size_t axis, std::uint64_t first, std::uint64_t count,
                             const Where& where) const try {
    if (axis >= axes.size() || count < 1 || first > axes[axis].count || count > axes[axis].count - first) {
        throw Error(fmt::format("slice {}+{} of axis {} is outside {}", first, count, axis, describe()));
    }
    TensorView part = *this;
    part.offset = static_cast<std::uint64_t>(static_cast<std::int64_t>(offset) +
                                             static_cast<std::int64_t>(first) * axes[axis].step);
    part.axes[axis].count = count;
    return part;
} catch (const Error&) {
    throw_at(where);
}

TensorView TensorView::slice(std::size_t axis, const LoopOffset& first, std::uint64_t count,
                             const Where& where) const try {
    const std::int64_t last = first.first + first.step * (std::int64_t{first.iterations} - 1);
    const auto [low, high] = std::minmax(first.first, last);
    const bool another = loop != 0 && loop != first.loop;
    if ((another && !first.nests) || are_of_two_builders(builder, first.builder))
        throw Error(fmt::format("{} is a slice of another loop", describe()));
    if (axis >= axes.size() || low < 0 || count < 1 || count > axes[axis].count ||
        static_cast<std::uint64_t>(high) > axes[axis].count - count) {
        throw Error(fmt::format("slices {}+{} to {}+{} of axis {} in {} iterations are outside {}",
                                first.first, count, last, count, axis, first.iterations, describe()));
    }
    TensorView part = slice(axis, static_cast<std::uint64_t>(first.first), count);
    const std::int64_t step = first.step * axes[axis].step;
    if (another) {
        auto move = std::ranges::find(part.others, first.loop, &Move::loop);
        if (move == part.others.end()) move = part.others.insert(move, {first.loop, first.iterations});
        move->step += step;
        return part;
    }
    part.loop = first.loop;
    part.iterations = first.iterations;
    part.iteration_step += step;
    return part;
} catch (const Error&) {
    throw_at(where);
}

TensorView TensorView::split(std::size_t axis, std::uint64_t inner, const Where& where) const try {
    if (axis >= axes.size() || inner < 1 || axes[axis].count % inner != 0) {
        throw Error(fmt::format("axis {} of {} does not split into parts of {}", axis, describe(), inner));
    }
    TensorView view = *this;
    const Axis whole = axes[axis];
    view.axes[axis] = {whole.count / inner, whole.step * static_cast<std::int64_t>(inner)};
    view.axes.insert(view.axes.begin() + static_cast<std::ptrdiff_t>(axis) + 1, Axis{inner, whole.step});
    return view;
} catch (const Error&) {
    throw_at(where);
}

TensorView TensorView::swapped(std::size_t axis, std::size_t other, const Where& where) const try {
    if (axis >= axes.size() || other >= axes.size()) {
        throw Error(fmt::format("{} has no axes {} and {}", describe(), axis, other));
    }
    TensorView view = *this;
    std::swap(view.axes[axis], view.axes[other]);
    return view;
} catch (const Error&) {
    throw_at(where);
}

std::string TensorView::describe() const {
    std::string shape;
    for (const Axis& axis : axes) shape += fmt::format("{}{}", shape.empty() ? "" : ", ", axis.count);
    return fmt::format("{}[{}]", name, shape);
}

}  // namespace trnsim::builder
