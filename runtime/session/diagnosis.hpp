// The reason for which a run failed, read from the registers of the machine.
#pragma once

#include <string>

#include "runtime/loader/image.hpp"
#include "runtime/session/device.hpp"

namespace trnsim::runtime {

using loader::Image;

// The functions return one line for each fact, most important first. Every function takes the package and the
// image that the machine was loaded with, and the core that executed it.

// Returns "chip 0 core 0, gpsimd core 3: illegal instruction 0x0 at 0x80003010, relu at relu.cpp:12;
// instruction 7 (gpsimd_command ...)" or
// "chip 0 core 0, vector engine, instruction 12 (tensor_copy ...): address out of range: sbuf[3+0x30000]".
std::string diagnose_core_error(CoreAccess& machine, const neff::Package& package, addresses::CoreId core);

// Returns "chip 0, DMA engine 3, queue 'qSyncIO0', transfer 'load a', descriptor 17: error response to a read
// at 0x1000".
std::string diagnose_dma_error(CoreAccess& machine, const neff::Package& package, const Image& image,
                               addresses::CoreId core);

// Returns a line for every engine that has not halted, with its instruction and the value of the semaphore it
// waits for; a line for every GpSimd core that runs; a line for every queue with descriptors left.
std::string diagnose_hang(CoreAccess& machine, const neff::Package& package, const Image& image,
                          addresses::CoreId core);

// Returns the summary and its lines, if any.
std::string with_lines(std::string what, const std::string& lines);

}  // namespace trnsim::runtime
