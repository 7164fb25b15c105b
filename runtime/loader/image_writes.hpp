// The writes that put an image on a chip and start it, in their order.
#pragma once

#include "runtime/loader/image.hpp"
#include "runtime/loader/writes.hpp"

namespace trnsim::loader {

// The rounding of narrowing writes that leave it to the core, and the seed of its generators.
struct Rounding {
    bool stochastic = false;
    std::uint32_t seed = 0;
};

// Returns the contents of memory before the first execution: tables of activation functions, images for
// GpSimd cores, programs, descriptors. The caller writes the tensors.
std::vector<MemoryWrite> memory_writes(const Image& image);
// Returns only the descriptors of these.
std::vector<MemoryWrite> descriptor_writes(const Image& image);

// Returns the register writes before every execution: programs, rounding, rings; then those that start the
// engines with a program.
std::vector<RegisterWrite> set_up_writes(const Image& image, const Rounding& rounding);
std::vector<RegisterWrite> start_writes(const Image& image);

}  // namespace trnsim::loader
