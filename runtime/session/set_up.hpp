// The steps of a driver before the engines of a core begin: memory, registers, the start itself.
#pragma once

#include "runtime/session/device.hpp"
#include "runtime/session/run.hpp"

namespace trnsim::runtime {

// Writes the contents of memory before the first execution: descriptors, programs, tables of activation
// functions.
void write_image(CoreAccess& core, const Image& image);
void write_descriptors(CoreAccess& core, const Image& image);

// Do the steps before a run: registers of rings, programs and rounding; then the start of the engines that
// have a program.
void set_up(CoreAccess& core, const Image& image, const Rounding& rounding);
void start(CoreAccess& core, const Image& image);

}  // namespace trnsim::runtime
