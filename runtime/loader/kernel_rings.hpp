// The rings of a kernel's queues.
#pragma once

#include "runtime/loader/image.hpp"

namespace trnsim::loader {

// Makes the descriptors of all rings, and where transfers stand in them, anew: for the addresses that the image has.
void write_rings(const neff::Package& package, Image& image);

// Makes them and gives the rings memory. Throws Error.
void plan_rings(const neff::Package& package, Blocks& hbm, Image& image);

}  // namespace trnsim::loader
