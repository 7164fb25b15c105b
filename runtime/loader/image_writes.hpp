// What puts an image on a chip and starts it, as writes in their order.
#pragma once

#include "runtime/loader/image.hpp"
#include "runtime/loader/writes.hpp"

namespace trnsim::loader {

// How narrowing writes round that leave it to the core, and the seed of its generators.
struct Rounding {
    bool stochastic = false;
    std::uint32_t seed = 0;
};

// What is in memory before the first execution: tables of activation functions, images for GpSimd cores, programs,
// descriptors. Tensors are the caller's.
std::vector<MemoryWrite> memory_writes(const Image& image);
// Of these the descriptors.
std::vector<MemoryWrite> descriptor_writes(const Image& image);

// Registers before every execution: programs, rounding, rings; then those that start the engines with a program.
std::vector<RegisterWrite> set_up_writes(const Image& image, const Rounding& rounding);
std::vector<RegisterWrite> start_writes(const Image& image);

}  // namespace trnsim::loader
