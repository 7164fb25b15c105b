// The random numbers of the engines: an XORWOW generator a lane (Marsaglia, "Xorshift RNGs", 2003), seeded by
// SplitMix64.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace trnsim::numerics {

// A group of generators of a core; the numbers enter the seeding.
enum class Stream : std::uint16_t {
    VectorRounding = 1,
    ScalarRounding = 2,
    GpsimdRounding = 3,
    VectorRandom = 9,  // for `rng` and `dropout`
    DmaRounding = 16,
};

class Xorwow {
  public:
    Xorwow(Stream stream, std::uint16_t lane, std::uint32_t seed);
    // Takes a state of SplitMix64.
    explicit Xorwow(std::uint64_t state);
    std::uint32_t draw();
    // The state: words x, y, z, w, v of docs/stochastic-rounding.md, and d.
    const std::array<std::uint32_t, 5>& words() const { return words_; }
    std::uint32_t counter() const { return counter_; }

  private:
    std::array<std::uint32_t, 5> words_;  // oldest first
    std::uint32_t counter_;
};

// Returns one generator for each of the first `lanes` lanes.
std::vector<Xorwow> generators(Stream stream, std::size_t lanes, std::uint32_t seed);

// Returns the draw of an element that a DMA engine rounds: the first draw of a generator of its own, so that
// it does not depend on which engine writes the element, or when. The generator's state for SplitMix64 is the
// first output of SplitMix64 for (DmaRounding, seed), exclusive or the element's number.
std::uint32_t element_draw(std::uint32_t seed, std::uint64_t element);

}  // namespace trnsim::numerics
