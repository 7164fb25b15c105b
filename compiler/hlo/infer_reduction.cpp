// Shape rules of reductions, windows, normalisation, sorting and scans.
#include <algorithm>

#include "compiler/hlo/site.hpp"

namespace trnsim::hlo {
namespace {

Shape one_or_tuple(std::vector<Shape> shapes) {
    if (shapes.size() == 1) return std::move(shapes.front());
    return tuple_of(std::move(shapes));
}

// Checks operands of equal sizes and their initial values, which the computation combines. Returns the types of results.
std::vector<ElementType> check_reducer(const Site& site) {
    const std::size_t count = site.operands() / 2;
    Site::check(site.operands() == 2 * count,
                fmt::format("has {} operands, expected as many initial values as operands", site.operands()));
    std::vector<Shape> results;
    for (std::size_t n = 0; n < count; ++n) {
        const Shape &operand = site.array(n), &initial = site.array(count + n);
        Site::check(
            has_same_dimensions(operand, site.operand(0)),
            fmt::format("operands {} and {} have different sizes", format(site.operand(0)), format(operand)));
        Site::check(initial.is_scalar() && initial.type == operand.type,
                    fmt::format("the initial value of {} is {}", format(operand), format(initial)));
        results.push_back(array(operand.type, {}));
    }
    std::vector<Shape> parameters = results;
    parameters.insert(parameters.end(), results.begin(), results.end());
    std::vector<ElementType> types;
    for (const Shape& result : results) types.push_back(result.type);
    check_computation(site.called(0), parameters, one_or_tuple(std::move(results)), "to_apply");
    return types;
}

Shape shaped(const std::vector<ElementType>& types, const Integers& sizes) {
    std::vector<Shape> shapes;
    for (const ElementType type : types) shapes.push_back(array(type, sizes));
    return one_or_tuple(std::move(shapes));
}

Shape reduce(const Site& site) {
    const auto types = check_reducer(site);
    const Shape& operand = site.operand(0);
    check_dimensions(site.attributes().dimensions, operand.rank(), "dimensions");
    Integers sizes;
    for (std::size_t d = 0; d < operand.rank(); ++d) {
        if (!contains(site.attributes().dimensions, static_cast<std::int64_t>(d)))
            sizes.push_back(operand.dimensions[d]);
    }
    return shaped(types, sizes);
}

Integers windowed_sizes(const Site& site, const Shape& operand) {
    const Window& window = present(site.attributes().window, "window");
    Site::check(window.dimensions.size() == operand.rank(),
                fmt::format("a window of {} dimensions over {}", window.dimensions.size(), format(operand)));
    Integers sizes;
    for (std::size_t d = 0; d < operand.rank(); ++d)
        sizes.push_back(windowed_size(operand.dimensions[d], window.dimensions[d]));
    return sizes;
}

Shape reduce_window(const Site& site) {
    const auto types = check_reducer(site);
    return shaped(types, windowed_sizes(site, site.operand(0)));
}

Shape select_and_scatter(const Site& site) {
    const Shape &operand = site.array(0), &source = site.array(1), &initial = site.array(2);
    const Shape scalar = array(operand.type, {});
    Site::check(is_compatible(initial, scalar),
                fmt::format("the initial value of {} is {}", format(operand), format(initial)));
    check_computation(site.called(0), {scalar, scalar}, array(ElementType::Pred, {}), "select");
    check_computation(site.called(1), {scalar, scalar}, scalar, "scatter");
    for (const WindowDimension& d : present(site.attributes().window, "window").dimensions) {
        Site::check(d.window_dilation == 1 && d.base_dilation == 1, "select-and-scatter has no dilation");
    }
    const Shape windows = array(operand.type, windowed_sizes(site, operand));
    Site::check(is_compatible(source, windows),
                fmt::format("the source is {}, expected {}", format(source), format(windows)));
    return operand;
}

// The size of the feature dimension.
Shape feature_vector(const Site& site) {
    const Shape& operand = site.array(0);
    Site::check(is_real(operand.type), fmt::format("normalises {}, expected real numbers", format(operand)));
    const std::size_t feature =
        checked_dimension(site.attributes().feature_index, operand.rank(), "feature_index");
    return array(operand.type, {operand.dimensions[feature]});
}

// XLA has statistics in a wider type than the operand, too.
void check_statistics(const Site& site, std::size_t first, std::size_t last, const Shape& vector) {
    for (std::size_t at = first; at <= last; ++at) {
        const Shape& shape = site.array(at);
        Site::check(has_same_dimensions(shape, vector) && is_real(shape.type),
                    fmt::format("operand {} is {}, expected {}", at, format(shape), format(vector)));
    }
}

Shape batch_norm_training(const Site& site) {
    const Shape vector = feature_vector(site);
    check_statistics(site, 1, 2, vector);
    const Shape statistics = array(site.operand(1).type, vector.dimensions);
    return tuple_of({site.operand(0), statistics, statistics});
}

Shape batch_norm_inference(const Site& site) {
    check_statistics(site, 1, 4, feature_vector(site));
    return site.operand(0);
}

Shape batch_norm_grad(const Site& site) {
    const Shape vector = feature_vector(site);
    check_statistics(site, 1, 3, vector);
    Site::check(
        has_same_dimensions(site.array(4), site.operand(0)),
        fmt::format("the gradient is {}, expected {}", format(site.operand(4)), format(site.operand(0))));
    const Shape statistics = array(site.operand(1).type, vector.dimensions);
    return tuple_of({site.operand(0), statistics, statistics});
}

Shape map(const Site& site) {
    std::vector<Shape> parameters;
    for (std::size_t i = 0; i < site.operands(); ++i) {
        Site::check(has_same_dimensions(site.array(i), site.operand(0)),
                    fmt::format("operands {} and {} have different sizes", format(site.operand(0)),
                                format(site.operand(i))));
        parameters.push_back(array(site.operand(i).type, {}));
    }
    const Integers& dimensions = site.attributes().dimensions;
    for (std::size_t d = 0; d < dimensions.size(); ++d)
        Site::check(dimensions[d] == static_cast<std::int64_t>(d),
                    fmt::format("dimensions {{{}}}, expected all in order", format(dimensions)));
    Site::check(dimensions.size() == site.operand(0).rank(),
                fmt::format("dimensions {{{}}} of {}", format(dimensions), format(site.operand(0))));
    const Shape& root = site.called(0).root_instruction().shape;
    Site::check(root.is_scalar(), fmt::format("to_apply returns {}, expected a scalar", format(root)));
    check_computation(site.called(0), parameters, root, "to_apply");
    return array(root.type, site.operand(0).dimensions);
}

Shape sort(const Site& site) {
    std::vector<Shape> results, parameters;
    for (std::size_t i = 0; i < site.operands(); ++i) {
        Site::check(has_same_dimensions(site.array(i), site.operand(0)),
                    fmt::format("operands {} and {} have different sizes", format(site.operand(0)),
                                format(site.operand(i))));
        results.push_back(site.operand(i));
        parameters.insert(parameters.end(), 2, array(site.operand(i).type, {}));
    }
    Site::check(site.attributes().dimensions.size() == 1, "sorts along one dimension");
    (void)checked_dimension(site.attributes().dimensions.front(), site.operand(0).rank(), "dimension");
    check_computation(site.called(0), parameters, array(ElementType::Pred, {}), "to_apply");
    return one_or_tuple(std::move(results));
}

Shape topk_of(const Shape& operand, std::int64_t k) {
    Site::check(operand.rank() >= 1 && k >= 0 && k <= operand.dimensions.back(),
                fmt::format("the top {} of {}", k, format(operand)));
    Integers sizes = operand.dimensions;
    sizes.back() = k;
    return tuple_of({array(operand.type, sizes), array(ElementType::S32, sizes)});
}

Shape topk(const Site& site) {
    return topk_of(site.array(0), site.attributes().k);
}

// Steps along a dimension: inputs and carries in, outputs and carries out.
Shape scan(const Site& site) {
    Site::check(site.attributes().dimensions.size() == 1, "scans along one dimension");
    const std::int64_t carries = site.attributes().carries;
    Site::check(carries >= 0 && static_cast<std::size_t>(carries) < site.operands(),
                fmt::format("has {} carries of {} operands", carries, site.operands()));
    const std::size_t inputs = site.operands() - static_cast<std::size_t>(carries);
    const std::size_t dimension =
        checked_dimension(site.attributes().dimensions.front(), site.array(0).rank(), "dimension");
    const std::int64_t steps = site.operand(0).dimensions[dimension];
    std::vector<Shape> parameters, results, step;
    for (std::size_t i = 0; i < inputs; ++i) {
        const Shape& input = site.array(i);
        Site::check(
            dimension < input.rank() && input.dimensions[dimension] == steps,
            fmt::format("inputs {} and {} have different steps", format(site.operand(0)), format(input)));
        Integers sizes = input.dimensions;
        sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(dimension));
        parameters.push_back(array(input.type, sizes));
    }
    for (std::size_t i = inputs; i < site.operands(); ++i) parameters.push_back(site.operand(i));
    const Shape& root = site.called(0).root_instruction().shape;
    Site::check(root.is_tuple() && root.tuple.size() >= static_cast<std::size_t>(carries),
                fmt::format("to_apply returns {}", format(root)));
    const std::size_t outputs = root.tuple.size() - static_cast<std::size_t>(carries);
    for (std::size_t i = 0; i < root.tuple.size(); ++i) {
        if (i >= outputs) {
            results.push_back(site.operand(inputs + i - outputs));
            Site::check(
                is_compatible(root.tuple[i], results.back()),
                fmt::format("the carry {} becomes {}", format(results.back()), format(root.tuple[i])));
            continue;
        }
        const Shape& output = root.tuple[i];
        Site::check(output.is_array() && dimension <= output.rank(),
                    fmt::format("an output {} of a step along dimension {}", format(output), dimension));
        Integers sizes = output.dimensions;
        sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(dimension), steps);
        results.push_back(array(output.type, sizes));
    }
    check_computation(site.called(0), parameters, root, "to_apply");
    return tuple_of(std::move(results));
}

}  // namespace

Rule reduction_rule(Opcode opcode) {
    switch (opcode) {
        case Opcode::Reduce:
            return reduce;
        case Opcode::ReduceWindow:
            return reduce_window;
        case Opcode::SelectAndScatter:
            return select_and_scatter;
        case Opcode::BatchNormTraining:
            return batch_norm_training;
        case Opcode::BatchNormInference:
            return batch_norm_inference;
        case Opcode::BatchNormGrad:
            return batch_norm_grad;
        case Opcode::Map:
            return map;
        case Opcode::Sort:
            return sort;
        case Opcode::TopK:
            return topk;
        case Opcode::Scan:
            return scan;
        default:
            return nullptr;
    }
}

}  // namespace trnsim::hlo
