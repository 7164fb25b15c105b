// The tables of a set in memory, in the form that act_table_load reads.
//
// A beat is 128 words of 32 bits, little-endian: a header and up to 127 words for consecutive rows of one
// bank.
//
// Bits of the header:
//   13:0   first row
//   17:14  bank
//   24:18  words, 1 to 127
//   31:25  0x54, so that other memory is noticed
//
// Banks:
//   0      expansion points, in the rows from Segment::base on
//   k + 1  coefficient k, in the same rows, k = 0 to 5
//   7      segments, in rows code * 512 + sign and exponent field:
//          scale + 128, shift, base in bits 31:24, 23:16, 15:0
//   8      parts of (e - 127) ln 2: the lower in row e, the upper in row 256 + e
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "isa/isa_tables.hpp"

namespace trnsim::activation {

inline constexpr std::size_t BeatWords = 128;
inline constexpr std::size_t BeatBytes = BeatWords * sizeof(std::uint32_t);

// Returns whether a code stands for a set with functions.
bool is_set(isa::ActivationSet set);

// Returns whole beats. Throws std::invalid_argument for a code that is no set.
std::vector<std::uint8_t> table_image(isa::ActivationSet set);

}  // namespace trnsim::activation
