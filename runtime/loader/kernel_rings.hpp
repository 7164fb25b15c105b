// The rings of a kernel's queues.
#pragma once

#include "runtime/loader/image.hpp"

namespace trnsim::loader {

// Rebuilds the descriptors of all rings and the places of transfers in them, for the addresses in the image.
void write_rings(const neff::Package& package, Image& image);

// Does the same and gives the rings memory. Throws Error.
void plan_rings(const neff::Package& package, Blocks& hbm, Image& image);

}  // namespace trnsim::loader
