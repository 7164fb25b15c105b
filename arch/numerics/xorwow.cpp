#include "arch/numerics/xorwow.hpp"

#include <algorithm>

namespace trnsim::numerics {
namespace {

class SplitMix64 {
  public:
    explicit SplitMix64(std::uint64_t state) : state_(state) {}
    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }

  private:
    std::uint64_t state_;
};

constexpr std::uint32_t low_word(std::uint64_t value) {
    return static_cast<std::uint32_t>(value);
}
constexpr std::uint32_t high_word(std::uint64_t value) {
    return static_cast<std::uint32_t>(value >> 32);
}

constexpr std::uint64_t state_of(Stream stream, std::uint16_t lane, std::uint32_t seed) {
    return static_cast<std::uint64_t>(stream) << 48 ^ static_cast<std::uint64_t>(lane) << 32 ^ seed;
}

}  // namespace

Xorwow::Xorwow(Stream stream, std::uint16_t lane, std::uint32_t seed)
    : Xorwow(state_of(stream, lane, seed)) {}

Xorwow::Xorwow(std::uint64_t state) {
    SplitMix64 source(state);
    const std::uint64_t first = source.next();
    const std::uint64_t second = source.next();
    const std::uint64_t third = source.next();
    words_ = {low_word(first), high_word(first), low_word(second), high_word(second), low_word(third)};
    counter_ = high_word(third);
}

std::uint32_t Xorwow::draw() {
    const std::uint32_t oldest = words_[0] ^ words_[0] >> 2;
    const std::uint32_t newest = words_[4];
    std::shift_left(words_.begin(), words_.end(), 1);
    words_[4] = (newest ^ newest << 4) ^ (oldest ^ oldest << 1);
    counter_ += 362437;
    return counter_ + words_[4];
}

std::vector<Xorwow> generators(Stream stream, std::size_t lanes, std::uint32_t seed) {
    std::vector<Xorwow> result;
    result.reserve(lanes);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        result.emplace_back(stream, static_cast<std::uint16_t>(lane), seed);
    }
    return result;
}

std::uint32_t element_draw(std::uint32_t seed, std::uint64_t element) {
    const std::uint64_t key = SplitMix64(state_of(Stream::DmaRounding, 0, seed)).next();
    return Xorwow(key ^ element).draw();
}

}  // namespace trnsim::numerics
