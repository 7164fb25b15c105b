// The inner loops, on the host's vectors: each is compiled for several instruction sets, of which the best one there is runs.
//
// All expect the flush mode of arch/numerics/flush_mode.hpp. Buffers of values (float, std::uint32_t) are aligned to a vector and have
// room for a whole one behind the last element, whose contents do not matter before and are not defined after a call. Elements
// in their own types may end anywhere: bytes behind the last one are read, Padding at most, never written.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/isa_tables.hpp"

namespace trnsim::fast::kernels {

inline constexpr std::size_t Padding = 64;  // bytes of the largest vector
inline constexpr std::size_t Lanes = 16;    // rows of a group
inline constexpr std::size_t ChunkElements = 512;
// From a row of a group to the next, in values; not a power of two, for the caches' sake.
inline constexpr std::size_t RowPitch = ChunkElements + 2 * Padding / sizeof(float);
// Columns of the stationary operand and elements of the moving one that a matmul works on together.
inline constexpr std::size_t BlockColumns = 8, BlockElements = 32;

// ---------------------------------------------------------------------------------------- conversions (convert.cpp)
// To fp32 as numerics::to_fp32().
void widen(isa::Dtype dtype, const std::uint8_t* from, float* to, std::size_t count);
// The same to blocks of BlockElements values, `pitch` values apart.
void widen_blocks(isa::Dtype dtype, const std::uint8_t* from, float* to, std::size_t pitch,
                  std::size_t count);
// From fp32 as numerics::from_fp32(), nearest even. Whether a NaN was written.
bool narrow(isa::Dtype dtype, const float* from, std::uint8_t* to, std::size_t count);
// The same, with draws[i * Lanes] for element i of a type that rounds stochastically.
bool narrow(isa::Dtype dtype, const float* from, const std::uint32_t* draws, std::uint8_t* to,
            std::size_t count);
// Storage bits of elements of `size` bytes, zero-extended; their low bytes back.
void widen_bits(std::uint32_t size, const std::uint8_t* from, std::uint32_t* to, std::size_t count);
void narrow_bits(std::uint32_t size, const std::uint32_t* from, std::uint8_t* to, std::size_t count);
bool any_nan(isa::Dtype dtype, const std::uint8_t* elements, std::size_t count);

// ---------------------------------------------------------------------------------------- operations (alu.cpp)
// out = x op y, element by element; operands are as widen() gives them. Out may be one of the operands. Throw std::invalid_argument
// for an operation that the Vector engine does not have.
void operate(isa::AluOp op, const float* x, const float* y, float* out, std::size_t count);
// With a constant in place of y, or with `reverse` of x.
void operate(isa::AluOp op, bool reverse, const float* x, float constant, float* out, std::size_t count);
// On bits.
void operate(isa::AluOp op, const std::uint32_t* x, const std::uint32_t* y, std::uint32_t* out,
             std::size_t count);
void operate(isa::AluOp op, bool reverse, const std::uint32_t* x, std::uint32_t constant, std::uint32_t* out,
             std::size_t count);
// out = predicate != 0 ? x : other; inverted, the other way round.
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
// Count, mean and sum of squared distances of each lane take elements first, first + 2, ...; reciprocals[k] = 1 / k.
struct Statistics {
    alignas(Padding) float count[Lanes];
    alignas(Padding) float mean[Lanes];
    alignas(Padding) float m2[Lanes];
};
void take_statistics(const float* values, std::size_t first, std::size_t count, const float* reciprocals,
                     Statistics& statistics);

// Merges triples of them into each lane's; `count` is of elements.
void merge_statistics(const float* triples, std::size_t count, Statistics& statistics);

// ---------------------------------------------------------------------------------------- random numbers (draws.cpp)
// Generators as numerics::Xorwow: words x, y, z, w, v and d of Lanes lanes.
struct Generators {
    std::uint32_t state[6][Lanes];
};
// draws[i * Lanes + k]: the i-th of lane k.
void draw(Generators& generators, std::uint32_t* draws, std::size_t count);

// ---------------------------------------------------------------------------------------- matrix product (matmul.cpp)
// For each of `columns` <= BlockColumns columns m: the chain over k of stationary[k * BlockColumns + m] * moving[k * BlockElements + n]
// goes to out[m * out_pitch + n], n < `elements` <= BlockElements, or is added to what is there. Whether a NaN was written.
bool multiply(const float* stationary, const float* moving, std::size_t rows, std::size_t columns,
              std::size_t elements, bool accumulate, float* out, std::size_t out_pitch);
// The parts of fp32 values of which a pass takes one (numerics::split_fp32()); infinities and NaN are in `high` only.
void split(const float* values, float* low, float* finite_high, float* high, std::size_t count);

// ---------------------------------------------------------------------------------------- activation functions (activate.cpp)
// What a function is computed from, as arch/activation/table_image.hpp has it.
struct Tables {
    static constexpr std::size_t Rows = 16384, RowWords = 8;
    const std::uint32_t* rows;       // [row * RowWords]: expansion point, coefficients 0 to 5
    const std::uint32_t* segments;   // of the function: [sign and exponent field]
    const std::uint32_t* exponents;  // [e] low, [256 + e] high
};
// y = f(z) for a function with a table.
void activate(isa::Activation function, const Tables& tables, const float* z, float* y, std::size_t count);
// The same for one without.
void activate(isa::Activation function, float alpha, const float* z, float* y, std::size_t count);

}  // namespace trnsim::fast::kernels
