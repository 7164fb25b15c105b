// The value of a constant.
#pragma once

#include <string>
#include <vector>

#include "compiler/hlo/shape.hpp"

namespace trnsim::hlo {

struct Literal {
    Shape shape;
    std::string data;  // elements in row-major order whatever the layout, little-endian, at least a byte each
    std::vector<Literal> tuple;
    Unknown unknown;
};

// Elements of `bytes` each between row-major order and the order of the layout.
std::string from_layout(const std::string& data, const Shape& shape);
std::string to_layout(const std::string& data, const Shape& shape);

}  // namespace trnsim::hlo
