// The shape of a value: an array, or a tuple of shapes, or a token.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "compiler/hlo/box.hpp"
#include "compiler/hlo/element_type.hpp"
#include "compiler/hlo/unknown.hpp"

namespace trnsim::hlo {

using Integers = std::vector<std::int64_t>;

struct Layout {
    Integers minor_to_major;
    Unknown unknown;
};

struct Shape {
    ElementType type = ElementType::Invalid;
    Integers dimensions;
    std::vector<Shape> tuple;           // of a tuple
    std::vector<std::uint8_t> dynamic;  // by dimension, 1 where the size is an upper bound; or empty
    Box<Layout> layout;
    Unknown unknown;

    bool is_tuple() const { return type == ElementType::Tuple; }
    bool is_array() const { return hlo::is_array(type); }
    bool is_scalar() const { return is_array() && dimensions.empty(); }
    std::size_t rank() const { return dimensions.size(); }
};

// An array of the default layout: the last dimension is the minor one.
Shape array(ElementType type, Integers dimensions);
Shape tuple_of(std::vector<Shape> shapes);
Integers default_layout(std::size_t rank);

// The number of elements of an array; a tuple has none. Readers hold it to MaxElements.
std::int64_t elements(const Shape& shape);
std::int64_t elements(const Integers& dimensions);
// Bytes in memory of all arrays in a shape. It saturates.
std::int64_t bytes(const Shape& shape);

// Whether two shapes have the same types and sizes. Layouts may differ.
bool is_compatible(const Shape& a, const Shape& b);
// Whether two arrays have the same sizes. Types and layouts may differ.
bool has_same_dimensions(const Shape& a, const Shape& b);
bool is_dynamic(const Shape& shape);

// Returns "f32[8,4]{1,0}", or without the layout "f32[8,4]".
std::string format(const Shape& shape, bool with_layout = false);
// Returns "8,4".
std::string format(const Integers& values);

}  // namespace trnsim::hlo
