// fp32 bit patterns that are likely to make arithmetic fail. The tests of the reference and of the lane
// functions share them.
#pragma once

#include <array>
#include <cstdint>
#include <random>

namespace trnsim::test {

// Zeros, subnormals, the flush boundary, one and its neighbours, the overflow boundary, infinities, NaNs of
// both kinds.
inline constexpr std::array<std::uint32_t, 34> Corners = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00400000,
    0x00800000, 0x80800000, 0x00800001, 0x00801000, 0x00fff000, 0x00ffffff, 0x01000000,
    0x0d000000, 0x1f800000, 0x20000000, 0x3f7ff000, 0x3f7fffff, 0x3f800000, 0xbf800000,
    0x3f800001, 0x3f801000, 0xbfffffff, 0x4b7fffff, 0x5f7ff000, 0x5f800000, 0x7f7fffff,
    0xff7fffff, 0x7f7ff000, 0x7f800000, 0xff800000, 0x7fc00000, 0xff800001,
};

class OperandSource {
  public:
    explicit OperandSource(std::mt19937_64& generator) : generator_(generator) {}

    std::uint32_t word() { return static_cast<std::uint32_t>(generator_()); }
    std::uint32_t below(std::uint32_t limit) {
        return static_cast<std::uint32_t>((generator_() >> 32) * limit >> 32);
    }

    // Returns a word with the given exponent field and a random sign and fraction; some fractions have long
    // runs of equal bits.
    std::uint32_t with_exponent(std::uint32_t exponent) {
        std::uint32_t fraction = word();
        switch (below(4)) {
            case 0:
                fraction &= 0xffffffffu << below(24);
                break;
            case 1:
                fraction |= ~(0xffffffffu << below(24));
                break;
            default:
                break;
        }
        return (word() & 0x80000000) | exponent << 23 | (fraction & 0x7fffff);
    }

    // Returns any bit pattern, a corner, or a number near one.
    std::uint32_t any() {
        switch (below(8)) {
            case 0:
                return Corners[below(Corners.size())];
            case 1:
                return word();
            case 2:
                return with_exponent(below(4));
            case 3:
                return with_exponent(250 + below(6));
            default:
                return with_exponent(117 + below(20));
        }
    }

  private:
    std::mt19937_64& generator_;
};

}  // namespace trnsim::test
