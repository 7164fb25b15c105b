#include <fmt/format.h>

#include <stdexcept>

#include "arch/dma/registers.hpp"

namespace trnsim::dma {
namespace {

template <typename T>
void store(std::uint8_t* to, T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i) to[i] = static_cast<std::uint8_t>(value >> (8 * i));
}

template <typename T>
T load(const std::uint8_t* from) {
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) value |= static_cast<T>(from[i]) << (8 * i);
    return value;
}

constexpr std::uint32_t MaxRingId = 3;

struct Flag {
    std::uint32_t bit;
    bool Descriptor::*field;
};

constexpr std::array Flags{Flag{FirstBit, &Descriptor::first}, Flag{LastBit, &Descriptor::last},
                           Flag{InterruptBit, &Descriptor::interrupt},
                           Flag{BarrierBit, &Descriptor::barrier}};

}  // namespace

std::array<std::uint8_t, DescriptorBytes> encode(const Descriptor& descriptor) {
    if (descriptor.length == 0 || descriptor.length > MaxLength) {
        throw std::invalid_argument(
            fmt::format("descriptor length {}, expected 1 to {}", descriptor.length, MaxLength));
    }
    if (descriptor.ring_id > MaxRingId) {
        throw std::invalid_argument(
            fmt::format("descriptor ring id {}, expected 0 to {}", descriptor.ring_id, MaxRingId));
    }
    std::uint32_t control = (descriptor.length & LengthMask) | std::uint32_t{descriptor.ring_id}
                                                                   << RingIdShift;
    for (const Flag& flag : Flags) control |= descriptor.*flag.field ? flag.bit : 0;
    std::array<std::uint8_t, DescriptorBytes> bytes{};
    store(&bytes[0], control);
    store(&bytes[4], descriptor.meta);
    store(&bytes[8], descriptor.address);
    return bytes;
}

Descriptor decode(std::span<const std::uint8_t, DescriptorBytes> bytes) {
    const auto control = load<std::uint32_t>(&bytes[0]);
    Descriptor descriptor;
    descriptor.length = (control & LengthMask) == 0 ? MaxLength : control & LengthMask;
    descriptor.ring_id = (control >> RingIdShift) & MaxRingId;
    for (const Flag& flag : Flags) descriptor.*flag.field = (control & flag.bit) != 0;
    descriptor.meta = load<std::uint32_t>(&bytes[4]);
    descriptor.address = load<std::uint64_t>(&bytes[8]);
    return descriptor;
}

}  // namespace trnsim::dma
