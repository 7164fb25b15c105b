// The meta words of descriptors that move elements instead of bytes: cast, arithmetic, rounding
// (docs/dma.md). Plain copies have meta words of 0.
//
// m2s: bits 7:0 operation, 11:8 element type, 15:12 number of the source, 19:16 number of the packet's last
// source. s2m: bits 7:0 result, 11:8 element type, 13:12 rounding. The other bits are 0, except in packets
// with indices (indices.hpp).
#pragma once

#include <cstdint>
#include <string_view>

#include "isa/isa_tables.hpp"

namespace trnsim::dma {

// The use of the bytes of an m2s descriptor. The elements of the first source are loaded, those of further
// sources are combined with the result so far; all in fp32.
enum class Operation : std::uint8_t {
    Copy = 0,
    Load = 1,      // r = scale x
    Add = 2,       // r = scale x + r, rounded once
    Multiply = 3,  // r = (scale x) r
    Min = 4,
    Max = 5,
    Scale = 6,         // constant: the scale of the descriptors after it, fp32 in the address field
    FirstElement = 7,  // constant: the number of the packet's first element, in the address field
    // Packets with indices (indices.hpp) have these before everything else:
    IndexStep = 8,    // constant: bytes from the row of an index to that of the next, in the address field
    IndexBounds = 9,  // constant: the first and the last valid index, in the address field
    Index = 10,       // reads the next index
    // Packets of bytes have this before everything else (transpose.hpp):
    Transpose = 11,  // constant: the shape of the matrix, in the address field
};

constexpr bool is_constant(Operation operation) {
    return operation == Operation::Scale || operation == Operation::FirstElement ||
           operation == Operation::Transpose;
}

constexpr bool is_of_indices(Operation operation) {
    return operation == Operation::IndexStep || operation == Operation::IndexBounds ||
           operation == Operation::Index;
}

// Lengths of the constants, bytes.
constexpr std::uint32_t ScaleBytes = 4, NumberBytes = 8;

enum class Result : std::uint8_t {
    Copy = 0,
    Elements = 1,  // rounded elements of the type
    Nothing = 2,   // the descriptor takes no bytes: it is skipped
};

constexpr unsigned MaxSources = 16;
// Elements that the fp32 registers of an engine hold, for a packet of several sources.
constexpr std::uint32_t MaxCombinedElements = 4096;

struct ReadMeta {
    Operation operation = Operation::Copy;
    isa::Dtype dtype = isa::Dtype::Fp32;
    std::uint8_t source = 0, last_source = 0;  // 0 to 15
    bool operator==(const ReadMeta&) const = default;
};

struct WriteMeta {
    Result result = Result::Copy;
    isa::Dtype dtype = isa::Dtype::Fp32;
    isa::Rounding rounding = isa::Rounding::Core;
    bool operator==(const WriteMeta&) const = default;
};

// Copies, operations of indices and Result::Nothing have no fields: their meta word is the code.
std::uint32_t encode(const ReadMeta& meta);
std::uint32_t encode(const WriteMeta& meta);
ReadMeta decode_read(std::uint32_t meta);
WriteMeta decode_write(std::uint32_t meta);

// Returns the mistake in the fields of a meta word, for a message; empty: there is none. Only the code of
// copies is checked.
std::string_view fault_of_read(std::uint32_t meta);
std::string_view fault_of_write(std::uint32_t meta);

}  // namespace trnsim::dma
