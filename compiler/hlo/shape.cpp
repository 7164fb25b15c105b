#include "compiler/hlo/shape.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trnsim::hlo {

Integers default_layout(std::size_t rank) {
    Integers order(rank);
    for (std::size_t i = 0; i < rank; ++i) order[i] = static_cast<std::int64_t>(rank - 1 - i);
    return order;
}

Shape array(ElementType type, Integers dimensions) {
    Shape shape;
    shape.type = type;
    shape.layout.emplace().minor_to_major = default_layout(dimensions.size());
    shape.dimensions = std::move(dimensions);
    return shape;
}

Shape tuple_of(std::vector<Shape> shapes) {
    Shape shape;
    shape.type = ElementType::Tuple;
    shape.tuple = std::move(shapes);
    return shape;
}

std::int64_t elements(const Integers& dimensions) {
    std::int64_t count = 1;
    for (const std::int64_t size : dimensions) {
        if (size == 0) return 0;
    }
    for (const std::int64_t size : dimensions) {
        if (__builtin_mul_overflow(count, size, &count)) return std::numeric_limits<std::int64_t>::max();
    }
    return count;
}

std::int64_t elements(const Shape& shape) {
    return shape.is_array() ? elements(shape.dimensions) : 0;
}

std::int64_t bytes(const Shape& shape) {
    std::int64_t sum = 0;
    if (shape.is_array() && __builtin_mul_overflow(elements(shape), element_bytes(shape.type), &sum)) {
        return std::numeric_limits<std::int64_t>::max();
    }
    for (const Shape& part : shape.tuple) {
        if (__builtin_add_overflow(sum, bytes(part), &sum)) return std::numeric_limits<std::int64_t>::max();
    }
    return sum;
}

bool is_compatible(const Shape& a, const Shape& b) {
    return a.type == b.type && a.dimensions == b.dimensions &&
           std::ranges::equal(a.tuple, b.tuple, is_compatible);
}

bool has_same_dimensions(const Shape& a, const Shape& b) {
    return a.is_array() && b.is_array() && a.dimensions == b.dimensions;
}

bool is_dynamic(const Shape& shape) {
    return std::ranges::any_of(shape.dynamic, [](std::uint8_t flag) { return flag != 0; }) ||
           std::ranges::any_of(shape.tuple, is_dynamic);
}

std::string format(const Integers& values) {
    return fmt::format("{}", fmt::join(values, ","));
}

std::string format(const Shape& shape, bool with_layout) {
    if (shape.is_tuple()) {
        std::string text = "(";
        for (std::size_t i = 0; i < shape.tuple.size(); ++i) {
            if (i != 0) text += ", ";
            if (i != 0 && i % 5 == 0) text += fmt::format("/*index={}*/", i);
            text += format(shape.tuple[i], with_layout);
        }
        return text + ")";
    }
    std::string text = std::string(name(shape.type)) + "[";
    for (std::size_t i = 0; i < shape.rank(); ++i) {
        if (i != 0) text += ',';
        if (i < shape.dynamic.size() && shape.dynamic[i] != 0) text += "<=";
        text += std::to_string(shape.dimensions[i]);
    }
    text += ']';
    if (with_layout && shape.layout && shape.rank() != 0) {
        text += "{" + format(shape.layout->minor_to_major) + "}";
    }
    return text;
}

}  // namespace trnsim::hlo
