// Shape rules of instructions that move elements.
#include <algorithm>

#include "compiler/hlo/limits.hpp"
#include "compiler/hlo/site.hpp"

namespace trnsim::hlo {
namespace {

Shape broadcast(const Site& site) {
    const Shape& operand = site.array(0);
    const Integers& dimensions = site.attributes().dimensions;
    Site::check(site.shape().is_array() && site.shape().type == operand.type,
                fmt::format("{} becomes {}", format(operand), format(site.shape())));
    Site::check(dimensions.size() == operand.rank(),
                fmt::format("dimensions {{{}}} of an operand {}", format(dimensions), format(operand)));
    check_dimensions(dimensions, site.shape().rank(), "dimensions");
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
        const std::int64_t size = site.shape().dimensions[static_cast<std::size_t>(dimensions[i])];
        Site::check(size == operand.dimensions[i], fmt::format("dimension {} of {} becomes {} of size {}", i,
                                                               format(operand), dimensions[i], size));
    }
    return site.shape();
}

Shape reshape(const Site& site) {
    const Shape& operand = site.array(0);
    Site::check(site.shape().is_array() && site.shape().type == operand.type &&
                    elements(site.shape()) == elements(operand),
                fmt::format("{} cannot become {}", format(operand), format(site.shape())));
    return site.shape();
}

Shape transpose(const Site& site) {
    const Shape& operand = site.array(0);
    const Integers& dimensions = site.attributes().dimensions;
    Site::check(dimensions.size() == operand.rank(),
                fmt::format("dimensions {{{}}} of an operand {}", format(dimensions), format(operand)));
    check_dimensions(dimensions, operand.rank(), "dimensions");
    Integers sizes;
    for (const std::int64_t dimension : dimensions)
        sizes.push_back(operand.dimensions[static_cast<std::size_t>(dimension)]);
    return array(operand.type, sizes);
}

Shape reverse(const Site& site) {
    check_dimensions(site.attributes().dimensions, site.array(0).rank(), "dimensions");
    return site.operand(0);
}

Shape slice(const Site& site) {
    const Shape& operand = site.array(0);
    const auto& dimensions = site.attributes().slice;
    Site::check(dimensions.size() == operand.rank(),
                fmt::format("slices {} dimensions of {}", dimensions.size(), format(operand)));
    Integers sizes;
    for (std::size_t d = 0; d < dimensions.size(); ++d) {
        const SliceDimension& s = dimensions[d];
        Site::check(s.stride >= 1 && s.start >= 0 && s.start <= s.limit && s.limit <= operand.dimensions[d],
                    fmt::format("[{}:{}:{}] is no slice of dimension {} of {}", s.start, s.limit, s.stride, d,
                                format(operand)));
        sizes.push_back((s.limit - s.start) / s.stride + ((s.limit - s.start) % s.stride != 0 ? 1 : 0));
    }
    return array(operand.type, sizes);
}

Shape pad(const Site& site) {
    const Shape &operand = site.array(0), &value = site.array(1);
    Site::check(value.is_scalar() && value.type == operand.type,
                fmt::format("pads {} with {}", format(operand), format(value)));
    const Padding& padding = present(site.attributes().padding, "padding");
    Site::check(padding.dimensions.size() == operand.rank(),
                fmt::format("pads {} dimensions of {}", padding.dimensions.size(), format(operand)));
    Integers sizes;
    for (std::size_t d = 0; d < operand.rank(); ++d) {
        const PaddingDimension& p = padding.dimensions[d];
        const std::int64_t size = operand.dimensions[d];
        const bool bounded = p.interior >= 0 && p.interior <= MaxElements && std::abs(p.low) <= MaxElements &&
                             std::abs(p.high) <= MaxElements;
        Site::check(bounded, fmt::format("{}_{}_{} is no padding", p.low, p.high, p.interior));
        std::int64_t inner = 0;
        Site::check(!__builtin_mul_overflow(std::max<std::int64_t>(size - 1, 0), p.interior, &inner) &&
                        inner <= 2 * MaxElements,
                    "the padding is too large");
        sizes.push_back(size + inner + p.low + p.high);
        Site::check(sizes.back() >= 0, fmt::format("padding {}_{}_{} leaves nothing of dimension {} of {}",
                                                   p.low, p.high, p.interior, d, format(operand)));
    }
    return array(operand.type, sizes);
}

Shape concatenate(const Site& site) {
    const Shape& first = site.array(0);
    Site::check(site.attributes().dimensions.size() == 1, "concatenates along one dimension");
    const std::size_t dimension =
        checked_dimension(site.attributes().dimensions.front(), first.rank(), "dimension");
    Integers sizes = first.dimensions;
    for (std::size_t i = 1; i < site.operands(); ++i) {
        const Shape& next = site.array(i);
        Integers others = next.dimensions;
        Site::check(next.type == first.type && next.rank() == first.rank(),
                    fmt::format("operands {} and {} differ", format(first), format(next)));
        others[dimension] = first.dimensions[dimension];
        Site::check(others == first.dimensions,
                    fmt::format("operands {} and {} differ in more than dimension {}", format(first),
                                format(next), dimension));
        Site::check(sizes[dimension] <= MaxElements && next.dimensions[dimension] <= MaxElements,
                    "the result is too large");
        sizes[dimension] += next.dimensions[dimension];
    }
    return array(first.type, sizes);
}

// Checks the start indices of a dynamic slice: scalars, one a dimension, or one vector of them.
void check_starts(const Site& site, std::size_t first, std::size_t rank) {
    if (site.operands() == first + 1 && site.array(first).rank() == 1) {
        const Shape& starts = site.operand(first);
        Site::check(is_integer(starts.type) && starts.dimensions.front() == static_cast<std::int64_t>(rank),
                    fmt::format("start indices {} of {} dimensions", format(starts), rank));
        return;
    }
    Site::check(site.operands() == first + rank,
                fmt::format("has {} start indices for {} dimensions", site.operands() - first, rank));
    for (std::size_t i = first; i < site.operands(); ++i) {
        Site::check(site.array(i).is_scalar() && is_integer(site.operand(i).type),
                    fmt::format("the start index {} is no integer", format(site.operand(i))));
    }
}

Shape dynamic_slice(const Site& site) {
    const Shape& operand = site.array(0);
    const Integers& sizes = site.attributes().dynamic_slice_sizes;
    Site::check(sizes.size() == operand.rank(),
                fmt::format("slices {} dimensions of {}", sizes.size(), format(operand)));
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        Site::check(sizes[d] >= 0 && sizes[d] <= operand.dimensions[d],
                    fmt::format("a slice of {} in dimension {} of {}", sizes[d], d, format(operand)));
    }
    check_starts(site, 1, operand.rank());
    return array(operand.type, sizes);
}

Shape dynamic_update_slice(const Site& site) {
    const Shape &operand = site.array(0), &update = site.array(1);
    bool fits = operand.type == update.type && operand.rank() == update.rank();
    for (std::size_t d = 0; fits && d < operand.rank(); ++d)
        fits = update.dimensions[d] <= operand.dimensions[d];
    Site::check(fits, fmt::format("the update {} does not fit {}", format(update), format(operand)));
    check_starts(site, 2, operand.rank());
    return operand;
}

// The sizes of the indices without the dimension of index vectors.
Integers batch_sizes(const Shape& indices, std::int64_t index_vector) {
    Integers sizes = indices.dimensions;
    if (index_vector < static_cast<std::int64_t>(indices.rank())) sizes.erase(sizes.begin() + index_vector);
    return sizes;
}

void check_index_map(const Shape& indices, std::int64_t index_vector, const Integers& map, std::size_t rank) {
    Site::check(is_integer(indices.type),
                fmt::format("indices are {}, expected integers", name(indices.type)));
    Site::check(index_vector >= 0 && index_vector <= static_cast<std::int64_t>(indices.rank()),
                fmt::format("index_vector_dim {} of indices {}", index_vector, format(indices)));
    const std::int64_t size = index_vector == static_cast<std::int64_t>(indices.rank())
                                  ? 1
                                  : indices.dimensions[static_cast<std::size_t>(index_vector)];
    Site::check(static_cast<std::int64_t>(map.size()) == size,
                fmt::format("an index of {} numbers for the dimensions {{{}}}", size, format(map)));
    check_dimensions(map, rank, "the map of an index");
}

void check_batching(const Shape& operand, const Shape& indices, std::int64_t index_vector,
                    const Integers& operand_batching, const Integers& indices_batching) {
    check_dimensions(operand_batching, operand.rank(), "batching dimensions", true);
    check_dimensions(indices_batching, indices.rank(), "batching dimensions of indices");
    Site::check(
        operand_batching.size() == indices_batching.size() && !contains(indices_batching, index_vector),
        "batching dimensions of operand and indices differ");
    for (std::size_t i = 0; i < operand_batching.size(); ++i) {
        Site::check(operand.dimensions[static_cast<std::size_t>(operand_batching[i])] ==
                        indices.dimensions[static_cast<std::size_t>(indices_batching[i])],
                    fmt::format("batching dimensions {} of {} and {} of {} have different sizes",
                                operand_batching[i], format(operand), indices_batching[i], format(indices)));
    }
}

Shape gather(const Site& site) {
    const Shape &operand = site.array(0), &indices = site.array(1);
    const GatherDimensions& d = present(site.attributes().gather, "gather dimension numbers");
    const Integers& slice = site.attributes().gather_slice_sizes;
    check_index_map(indices, d.index_vector, d.start_index_map, operand.rank());
    check_dimensions(d.collapsed_slice, operand.rank(), "collapsed_slice_dims", true);
    check_batching(operand, indices, d.index_vector, d.operand_batching, d.start_indices_batching);
    Site::check(slice.size() == operand.rank(),
                fmt::format("slice_sizes {{{}}} of {}", format(slice), format(operand)));
    Integers window;
    for (std::size_t i = 0; i < slice.size(); ++i) {
        Site::check(slice[i] >= 0 && slice[i] <= operand.dimensions[i],
                    fmt::format("a slice of {} in dimension {} of {}", slice[i], i, format(operand)));
        const bool collapsed = contains(d.collapsed_slice, static_cast<std::int64_t>(i)),
                   batching = contains(d.operand_batching, static_cast<std::int64_t>(i));
        Site::check(!(collapsed && batching) &&
                        !(batching && contains(d.start_index_map, static_cast<std::int64_t>(i))),
                    fmt::format("dimension {} is named twice", i));
        if (!collapsed && !batching) {
            window.push_back(slice[i]);
        } else {
            Site::check(slice[i] <= 1,
                        fmt::format("dimension {} with a slice of {} disappears", i, slice[i]));
        }
    }
    const Integers batch = batch_sizes(indices, d.index_vector);
    const std::size_t rank = window.size() + batch.size();
    Site::check(
        d.offset.size() == window.size(),
        fmt::format("offset_dims {{{}}} for {} dimensions of a slice", format(d.offset), window.size()));
    check_dimensions(d.offset, rank, "offset_dims", true);
    Integers sizes;
    std::size_t next_window = 0, next_batch = 0;
    for (std::size_t i = 0; i < rank; ++i) {
        sizes.push_back(contains(d.offset, static_cast<std::int64_t>(i)) ? window[next_window++]
                                                                         : batch[next_batch++]);
    }
    return array(operand.type, sizes);
}

Shape scatter(const Site& site) {
    const std::size_t count = (site.operands() - 1) / 2;
    Site::check(site.operands() == 2 * count + 1,
                fmt::format("has {} operands, expected an odd number", site.operands()));
    const Shape &operand = site.array(0), &indices = site.array(count);
    const ScatterDimensions& d = present(site.attributes().scatter, "scatter dimension numbers");
    check_index_map(indices, d.index_vector, d.scatter_to_operand, operand.rank());
    check_dimensions(d.inserted_window, operand.rank(), "inserted_window_dims", true);
    check_batching(operand, indices, d.index_vector, d.input_batching, d.scatter_indices_batching);
    const Integers batch = batch_sizes(indices, d.index_vector);
    std::vector<Shape> results, scalars;
    for (std::size_t n = 0; n < count; ++n) {
        const Shape &input = site.array(n), &update = site.array(count + 1 + n);
        Site::check(input.dimensions == operand.dimensions,
                    fmt::format("operands {} and {} have different sizes", format(operand), format(input)));
        check_dimensions(d.update_window, update.rank(), "update_window_dims", true);
        Site::check(update.type == input.type,
                    fmt::format("updates {} with {}", format(input), format(update)));
        Site::check(update.rank() == d.update_window.size() + batch.size(),
                    fmt::format("the update {} has {} window dimensions and {} of indices", format(update),
                                d.update_window.size(), batch.size()));
        std::size_t window_dimension = 0, next_batch = 0;
        for (std::size_t i = 0; i < update.rank(); ++i) {
            if (!contains(d.update_window, static_cast<std::int64_t>(i))) {
                Site::check(update.dimensions[i] == batch[next_batch++],
                            fmt::format("dimension {} of the update {} does not fit indices {}", i,
                                        format(update), format(indices)));
                continue;
            }
            while (window_dimension < operand.rank() &&
                   (contains(d.inserted_window, static_cast<std::int64_t>(window_dimension)) ||
                    contains(d.input_batching, static_cast<std::int64_t>(window_dimension)))) {
                ++window_dimension;
            }
            Site::check(
                window_dimension < operand.rank() &&
                    update.dimensions[i] <= operand.dimensions[window_dimension],
                fmt::format("the window of the update {} does not fit {}", format(update), format(operand)));
            ++window_dimension;
        }
        results.push_back(input);
        scalars.push_back(array(input.type, {}));
    }
    Site::check(operand.rank() == d.update_window.size() + d.inserted_window.size() + d.input_batching.size(),
                fmt::format("{} has {} dimensions, of which {} are in windows, {} inserted and {} batching",
                            format(operand), operand.rank(), d.update_window.size(), d.inserted_window.size(),
                            d.input_batching.size()));
    std::vector<Shape> parameters = scalars;
    parameters.insert(parameters.end(), scalars.begin(), scalars.end());
    check_computation(site.called(0), parameters, count == 1 ? scalars.front() : tuple_of(scalars),
                      "to_apply");
    return count == 1 ? results.front() : tuple_of(results);
}

}  // namespace

Rule movement_rule(Opcode opcode) {
    switch (opcode) {
        case Opcode::Broadcast:
            return broadcast;
        case Opcode::Reshape:
            return reshape;
        case Opcode::Transpose:
            return transpose;
        case Opcode::Reverse:
            return reverse;
        case Opcode::Slice:
            return slice;
        case Opcode::Pad:
            return pad;
        case Opcode::Concatenate:
            return concatenate;
        case Opcode::DynamicSlice:
            return dynamic_slice;
        case Opcode::DynamicUpdateSlice:
            return dynamic_update_slice;
        case Opcode::Gather:
            return gather;
        case Opcode::Scatter:
            return scatter;
        default:
            return nullptr;
    }
}

}  // namespace trnsim::hlo
