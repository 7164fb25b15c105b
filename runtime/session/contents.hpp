// The inputs and outputs of a package in the memory of a machine.
#pragma once

#include "runtime/loader/contents.hpp"
#include "runtime/loader/image.hpp"
#include "runtime/session/device.hpp"

namespace trnsim::runtime {

using loader::Arrays;
using loader::Contents;
using loader::Image;
using loader::IsBound;

// Zeros in the outputs that are no inputs: of what a kernel does not write nothing is left from before. Not for
// a device whose memory is random at first.
void clear_outputs(CoreAccess& machine, const neff::Package& package, const Image& image,
                   const IsBound& bound);
void write_contents(CoreAccess& machine, const Image& image, const Contents& contents);
Arrays read_outputs(CoreAccess& machine, const neff::Package& package, const Image& image,
                    const IsBound& bound);

}  // namespace trnsim::runtime
