#include "runtime/loader/ring.hpp"

#include <algorithm>
#include <utility>

namespace trnsim::loader {
namespace {

using Descriptors = std::vector<dma::Descriptor>;

// Returns the descriptors of the fewest cycles that have `least`.
std::uint32_t size_of(const Descriptors& cycle, std::uint32_t least) {
    const auto length = static_cast<std::uint32_t>(cycle.size());
    return length == 0 ? least : (least + length - 1) / length * length;
}

std::vector<std::uint8_t> encoded(const Descriptors& cycle, std::uint32_t size) {
    std::vector<std::uint8_t> bytes;
    bytes.reserve(std::size_t{size} * dma::DescriptorBytes);
    for (std::uint32_t i = 0; i < size; ++i) {
        const auto one = dma::encode(cycle[i % cycle.size()]);
        bytes.insert(bytes.end(), one.begin(), one.end());
    }
    return bytes;
}

}  // namespace

void place(Ring& ring, const AllocateRing& allocate, std::uint32_t least) {
    for (auto [cycle, place] :
         {std::pair(&ring.m2s, &ring.m2s_place), std::pair(&ring.s2m, &ring.s2m_place)}) {
        place->size = size_of(*cycle, least);
        place->address = allocate(std::uint64_t{place->size} * dma::DescriptorBytes);
    }
}

std::vector<MemoryWrite> memory_writes(const Ring& ring) {
    if (ring.m2s.empty()) return {};
    return {{ring.m2s_place.address, encoded(ring.m2s, ring.m2s_place.size)},
            {ring.s2m_place.address, encoded(ring.s2m, ring.s2m_place.size)}};
}

std::array<RingSetting, 6> settings(const Ring& ring) {
    using enum dma::RingRegister;
    const auto low = [](const RingPlace& place) { return static_cast<std::uint32_t>(place.address); };
    const auto high = [](const RingPlace& place) { return static_cast<std::uint32_t>(place.address >> 32); };
    return {{{M2sBaseLow, low(ring.m2s_place)},
             {M2sBaseHigh, high(ring.m2s_place)},
             {M2sSize, ring.m2s_place.size},
             {S2mBaseLow, low(ring.s2m_place)},
             {S2mBaseHigh, high(ring.s2m_place)},
             {S2mSize, ring.s2m_place.size}}};
}

}  // namespace trnsim::loader
