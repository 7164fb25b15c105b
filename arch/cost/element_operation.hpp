// The decoded fields of a Vector or Scalar instruction that affect its timing
// (rtl/vector/vector_decode_pkg.sv, rtl/scalar/scalar_pkg.sv).
#pragma once

#include <array>
#include <cstdint>

#include "arch/cost/pattern.hpp"
#include "isa/fields.hpp"

namespace trnsim::cost {

// A tensor operand; partitions start at quadrant `first`.
struct ElementOperand {
    bool psum = false;
    std::uint32_t first = 0;
    std::uint32_t offset = 0;  // bytes in the partition
    Steps step{};
    unsigned bytes = 1;  // bytes of an element
};

// Rows low to high of the partitions in `quadrants`: the part of a memory that an operand may touch.
struct Region {
    bool used = false, psum = false;
    std::uint32_t quadrants = 0;
    std::uint32_t low = 0, high = 0;
};

constexpr bool overlap(const Region& x, const Region& y) {
    return x.used && y.used && x.psum == y.psum && (x.quadrants & y.quadrants) != 0 && x.low <= y.high &&
           y.low <= x.high;
}

// The unit of Vector that makes the results.
enum class Unit : std::uint8_t { Lanes, BnStats, BnAggr, Max8, Find8, Replace8, Random, Shuffle, Transpose };
// find_index8 and match_replace8 share one unit.
constexpr bool share(Unit one, Unit other) {
    const auto matches = [](Unit unit) { return unit == Unit::Find8 || unit == Unit::Replace8; };
    return one == other || (matches(one) && matches(other));
}

struct ElementOperation {
    // Operands
    ElementOperand a, b, dst;
    Counts count{}, b_count{}, dst_count{};
    bool reads_a = true, uses_b = false;
    bool reuse_words = false;  // an element in the same word as the previous one needs no read
    bool no_dst = false;
    bool a_far = false, b_far = false, dst_far = false;
    std::array<bool, 2> vectors{};    // immediates that are read from SBUF
    bool sbuf = false, psum = false;  // memories that it uses
    Region writes;
    std::array<Region, 4> reads;  // a, b, immediates

    // Vector
    Unit unit = Unit::Lanes;
    std::uint64_t group = 0;          // elements of a group, over which one reduction or recurrence goes
    bool write_groups = false;        // one result a group, else one an element
    std::uint32_t values = 0;         // elements of b that come before those of a
    std::uint32_t block_results = 0;  // results of a block of transpose_block
    bool first_divides = false, second_divides = false;
    bool limited = false;  // the rate of its elements is that of the configuration (reciprocal)
    bool first_recurs = false, second_recurs = false;  // the stage takes the previous element's result
    bool reads_accumulator = false;

    bool reads_what(const Region& written) const {
        return overlap(reads[0], written) || overlap(reads[1], written) || overlap(reads[2], written) ||
               overlap(reads[3], written);
    }
};

// The places to which addresses lead in a core.
struct Geometry {
    std::uint32_t lanes = 0;
    std::uint32_t sbuf_stride = 0;  // bytes of the window for a partition

    std::uint32_t quadrant() const { return lanes / 4; }
    std::uint32_t partition(std::uint32_t address) const;
    std::uint32_t offset(std::uint32_t address) const;
};

// The instruction must have passed all checks. `stochastic` is register sr_control.
ElementOperation decode_vector(isa::InstructionView bytes, const Geometry& geometry, bool stochastic);
ElementOperation decode_scalar(isa::InstructionView bytes, const Geometry& geometry);

}  // namespace trnsim::cost
