// The inputs and outputs of a package in the memory of a machine.
#pragma once

#include "runtime/loader/contents.hpp"
#include "runtime/loader/image.hpp"
#include "runtime/session/device.hpp"

namespace trnsim::runtime {

using loader::Arrays;
using loader::Contents;
using loader::Image;
using loader::Inputs;
using loader::IsBound;

// Clears the outputs that are no inputs, so that no old value remains where a kernel does not write. It is
// not for a device with random memory.
void clear_outputs(CoreAccess& machine, const neff::Package& package, const Image& image,
                   const IsBound& bound);
void write_contents(CoreAccess& machine, const Image& image, const Contents& contents);
// `takes`: the memory of what has been read is given up.
Arrays read_outputs(CoreAccess& machine, const neff::Package& package, const Image& image,
                    const IsBound& bound, bool takes);

}  // namespace trnsim::runtime
