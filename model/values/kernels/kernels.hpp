// The inner loops, on the host's vectors: each is compiled for several instruction sets, and the best one of
// the host runs.
//
// All expect the flush mode of arch/numerics/flush_mode.hpp. Buffers of values (float, std::uint32_t) are
// aligned to a vector and have room for a whole one after the last element; its contents do not matter before
// and are not defined after a call. Elements in their own types may end anywhere: up to Padding bytes after
// the last one are read, never written.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/isa_tables.hpp"

namespace trnsim::fast::kernels {

inline constexpr std::size_t Padding = 64;  // bytes of the largest vector
inline constexpr std::size_t Lanes = 16;    // rows of a group
inline constexpr std::size_t ChunkElements = 512;
// The distance from a row of a group to the next, in values; not a power of two, because of the caches.
inline constexpr std::size_t RowPitch = ChunkElements + 2 * Padding / sizeof(float);
// The columns of the stationary operand and the elements of the moving one that a matmul works on together.
inline constexpr std::size_t BlockColumns = 8, BlockElements = 32;

// ---------------------------------------------------------------------------------------- conversions (convert.cpp)
// Converts to fp32 as numerics::to_fp32() does.
void widen(isa::Dtype dtype, const std::uint8_t* from, float* to, std::size_t count);
// The same, to blocks of BlockElements values that are `pitch` values apart.
void widen_blocks(isa::Dtype dtype, const std::uint8_t* from, float* to, std::size_t pitch,
                  std::size_t count);
// Converts from fp32 as numerics::from_fp32() does, to nearest even. Returns whether a NaN was written.
bool narrow(isa::Dtype dtype, const float* from, std::uint8_t* to, std::size_t count);
// The same, with draws[i * Lanes] for element i of a type with stochastic rounding.
bool narrow(isa::Dtype dtype, const float* from, const std::uint32_t* draws, std::uint8_t* to,
            std::size_t count);
// Zero-extend the storage bits of elements of `size` bytes, and store their low bytes back.
void widen_bits(std::uint32_t size, const std::uint8_t* from, std::uint32_t* to, std::size_t count);
void narrow_bits(std::uint32_t size, const std::uint32_t* from, std::uint8_t* to, std::size_t count);
bool any_nan(isa::Dtype dtype, const std::uint8_t* elements, std::size_t count);

// ---------------------------------------------------------------------------------------- operations (alu.cpp)
// out = x op y, element by element; operands are as widen() gives them. out may be one of the operands. Throw
// std::invalid_argument for an operation that the Vector engine does not have.
void operate(isa::AluOp op, const float* x, const float* y, float* out, std::size_t count);
// The same with a constant in place of y, or with `reverse` in place of x.
void operate(isa::AluOp op, bool reverse, const float* x, float constant, float* out, std::size_t count);
// The same on bits.
void operate(isa::AluOp op, const std::uint32_t* x, const std::uint32_t* y, std::uint32_t* out,
             std::size_t count);
void operate(isa::AluOp op, bool reverse, const std::uint32_t* x, std::uint32_t constant, std::uint32_t* out,
             std::size_t count);
// out = predicate != 0 ? x : other; with `inverted` the other way round.
void select(const std::uint32_t* predicate, bool inverted, const float* x, float other, float* out,
            std::size_t count);
// fma(x, scale, bias)
void scale(const float* x, float scale, float bias, float* out, std::size_t count);

// ---------------------------------------------------------------------------------------- chains of a lane (chains.cpp)
// Element i of lane k is values[k * RowPitch + i]. State has a value for each of the Lanes lanes.
// state = state op element, in order.
void reduce(isa::AluOp op, const float* values, float* state, std::size_t count);
void reduce(isa::AluOp op, const std::uint32_t* values, std::uint32_t* state, std::size_t count);
// y[i] = state = (x[i] op0 state) op1 y[i]
struct ScanOperation {
    isa::AluOp op;
    bool reverse;
};
void scan(ScanOperation first, ScanOperation second, const float* x, float* y, float* state,
          std::size_t count);
// x[i] = state = state op x[i]
void accumulate(ScanOperation op, float* x, float* state, std::size_t count);
// Count, mean and sum of squared distances of each lane. The call takes elements first, first + 2, ...;
// reciprocals[k] = 1 / k.
struct Statistics {
    alignas(Padding) float count[Lanes];
    alignas(Padding) float mean[Lanes];
    alignas(Padding) float m2[Lanes];
};
void take_statistics(const float* values, std::size_t first, std::size_t count, const float* reciprocals,
                     Statistics& statistics);

// Merges triples of statistics into each lane's; `count` is in elements.
void merge_statistics(const float* triples, std::size_t count, Statistics& statistics);

// ---------------------------------------------------------------------------------------- random numbers (draws.cpp)
// Generators like numerics::Xorwow: words x, y, z, w, v and d of Lanes lanes.
struct Generators {
    std::uint32_t state[6][Lanes];
};
// draws[i * Lanes + k] is draw i of lane k.
void draw(Generators& generators, std::uint32_t* draws, std::size_t count);

// ---------------------------------------------------------------------------------------- matrix product (matmul.cpp)
// For each of `columns` <= BlockColumns columns m: the chain over k of stationary[k * BlockColumns + m] *
// moving[k * BlockElements + n] is stored in out[m * out_pitch + n], n < `elements` <= BlockElements, or
// added to the value there. Returns whether a NaN was written.
bool multiply(const float* stationary, const float* moving, std::size_t rows, std::size_t columns,
              std::size_t elements, bool accumulate, float* out, std::size_t out_pitch);
// Splits fp32 values into parts; a pass takes one part (numerics::split_fp32()). Infinities and NaN are in
// `high` only.
void split(const float* values, float* low, float* finite_high, float* high, std::size_t count);

// ---------------------------------------------------------------------------------------- activation functions (activate.cpp)
// The tables of a function, in the form of arch/activation/table_image.hpp.
struct Tables {
    static constexpr std::size_t Rows = 16384, RowWords = 8;
    const std::uint32_t* rows;       // [row * RowWords]: expansion point, coefficients 0 to 5
    const std::uint32_t* segments;   // segments of the function: [sign and exponent field]
    const std::uint32_t* exponents;  // [e] low, [256 + e] high
};
// y = f(z) for a function with a table.
void activate(isa::Activation function, const Tables& tables, const float* z, float* y, std::size_t count);
// y = f(z) for a function without a table.
void activate(isa::Activation function, float alpha, const float* z, float* y, std::size_t count);

}  // namespace trnsim::fast::kernels
