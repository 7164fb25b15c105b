// The meta words of descriptors that move elements instead of bytes: cast, arithmetic, rounding
// (docs/dma.md). Those of plain copies are 0.
//
// m2s: bits 7:0 operation, 11:8 element type, 15:12 number of the source, 19:16 number of the packet's last
// source. s2m: bits 7:0 result, 11:8 element type, 13:12 rounding. The bits that are left are 0, but for what
// indices.hpp says of packets with indices.
#pragma once

#include <cstdint>
#include <string_view>

#include "isa/isa_tables.hpp"

namespace trnsim::dma {

// What becomes of the bytes of an m2s descriptor. The elements of the first source are loaded, those of
// further ones combined with what is there; all in fp32.
enum class Operation : std::uint8_t {
    Copy = 0,
    Load = 1,      // r = scale x
    Add = 2,       // r = scale x + r, rounded once
    Multiply = 3,  // r = (scale x) r
    Min = 4,
    Max = 5,
    Scale = 6,         // constant: the scale of the descriptors behind it, fp32 in the address field
    FirstElement = 7,  // constant: the number of the packet's first element, in the address field
    // Of packets with indices (indices.hpp), before everything else:
    IndexStep = 8,    // constant: bytes from the row of an index to that of the next, in the address field
    IndexBounds = 9,  // constant: the first and the last index that there is, in the address field
    Index = 10,       // reads the next index
    // Of packets of bytes, before everything else (transpose.hpp):
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

// Lengths of the constants.
constexpr std::uint32_t ScaleBytes = 4, NumberBytes = 8;

enum class Result : std::uint8_t {
    Copy = 0,
    Elements = 1,  // of the type, rounded
    Nothing = 2,   // the descriptor takes no bytes: it is skipped
};

constexpr unsigned MaxSources = 16;
// What the fp32 registers of an engine hold: elements of a packet of several sources.
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

// Of copies, of what is of indices and of Result::Nothing the code: they have no fields.
std::uint32_t encode(const ReadMeta& meta);
std::uint32_t encode(const WriteMeta& meta);
ReadMeta decode_read(std::uint32_t meta);
WriteMeta decode_write(std::uint32_t meta);

// What is wrong with the fields of a meta word, for a message; empty: nothing. Of copies only the code is
// looked at.
std::string_view fault_of_read(std::uint32_t meta);
std::string_view fault_of_write(std::uint32_t meta);

}  // namespace trnsim::dma
