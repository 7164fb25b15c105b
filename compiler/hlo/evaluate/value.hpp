// Values of the evaluator.
//
// Every element is a cell of 64 bits, whatever its type: real numbers are doubles, signed integers are sign-extended,
// unsigned ones and pred zero-extended. So what moves elements need not know their type, and what computes them
// computes in double or in 64 bits and then settles the result to the type.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/hlo/shape.hpp"

namespace trnsim::hlo::evaluate {

using Cell = std::uint64_t;
using Cells = std::vector<Cell>;

inline double real(Cell cell) {
    return std::bit_cast<double>(cell);
}
inline Cell cell(double value) {
    return std::bit_cast<Cell>(value);
}

// A number that orders the cells of real numbers: -NaN < -inf < ... < -0 < 0 < ... < inf < NaN.
inline std::int64_t total_order(Cell c) {
    const auto bits = static_cast<std::int64_t>(c);
    return bits < 0 ? static_cast<std::int64_t>(~c | Cell{1} << 63) : bits;
}

// An array or a tuple. Copies share their cells.
struct Value {
    ElementType type = ElementType::Invalid;
    Integers dimensions;
    std::shared_ptr<const Cells> cells;  // row-major; of an array
    std::vector<Value> tuple;

    std::span<const Cell> view() const { return *cells; }
    Cell scalar() const { return cells->front(); }
    std::size_t size() const { return cells->size(); }
};

Shape shape_of(const Value& value);

// Rounds cells to a type: the nearest number of a real type, the low bits of an integer type.
void settle(ElementType type, std::span<Cell> cells);

// An array from little-endian elements of at least a byte, row-major, and back. Real types take and give codes.
Value from_bytes(const Shape& shape, const std::string& data);
std::string to_bytes(const Value& value);

}  // namespace trnsim::hlo::evaluate
