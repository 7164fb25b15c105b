// Images for GpSimd cores as the loader sees them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/neff/package.hpp"

namespace trnsim::neff {

// What an image puts into the memory of a core: `bytes` from `address` on, in whole beats of DMA, with zeros
// where it has nothing; it starts at `entry`.
struct ImageContents {
    std::uint32_t address = 0, entry = 0;
    std::uint32_t vlen = 0;  // of the cores that it is for
    std::vector<std::uint8_t> bytes;
};

// Throws Error unless the image's bytes are those of one.
ImageContents contents_of(const GpsimdImage& image);

// Throws Error unless an image for cores with this VLEN is one for the target's.
void check_vlen(const std::string& image, std::uint32_t vlen, const target::Core& target);

// The transfer of an image, by its number in the package, to the memories of some cores; its queue and name
// are left open.
Transfer image_transfer(const ImageContents& contents, std::uint32_t image, std::uint32_t first_core,
                        std::uint32_t cores);

// The element size of transfers that load an image.
inline constexpr std::uint32_t ImageBeat = 64;

// Where address 0x80000000 of a GpSimd core's memory is in the core window.
std::uint32_t gpsimd_memory(std::uint32_t core);
// The place in the core window of an address of a core's memory.
std::uint32_t gpsimd_place(std::uint32_t core, std::uint32_t address);

}  // namespace trnsim::neff
