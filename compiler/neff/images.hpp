// Images for GpSimd cores in the form that the loader uses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/neff/package.hpp"

namespace trnsim::neff {

// The bytes of an image in the memory of a core: `bytes` from `address` on, in whole beats of DMA, with zeros
// for the gaps; it starts at `entry`.
struct ImageContents {
    std::uint32_t address = 0, entry = 0;
    std::uint32_t vlen = 0;  // VLEN of its cores
    std::vector<std::uint8_t> bytes;
};

// Returns the contents of an image. Throws Error if its bytes are not those of an image.
ImageContents contents_of(const GpsimdImage& image);

// Throws Error unless an image for cores with this VLEN fits the target's cores.
void check_vlen(const std::string& image, std::uint32_t vlen, const target::Core& target);

// Returns the transfer of an image, by its number in the package, to the memories of some cores; the caller
// sets its queue and name.
Transfer image_transfer(const ImageContents& contents, std::uint32_t image, std::uint32_t first_core,
                        std::uint32_t cores);

// The element size of transfers that load an image, bytes.
inline constexpr std::uint32_t ImageBeat = 64;

// Returns the place of address 0x80000000 of a GpSimd core's memory in the core window.
std::uint32_t gpsimd_memory(std::uint32_t core);
// Returns the place in the core window of an address of a core's memory.
std::uint32_t gpsimd_place(std::uint32_t core, std::uint32_t address);

}  // namespace trnsim::neff
