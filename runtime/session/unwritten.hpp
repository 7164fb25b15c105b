// The words that engines read before anything had written them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "compiler/neff/package.hpp"
#include "runtime/session/figures.hpp"

namespace trnsim::runtime {

// Returns the first instruction of an engine's program that reads a word of SBUF or PSUM, at a core-window
// address; nothing if only instructions with registers in their addresses may do so.
std::optional<std::size_t> first_reader(const neff::Package& package, isa::Engine engine,
                                        std::uint32_t address);

// Returns e.g. "vector instruction 3 [tensor_copy ...] at kernel.py:31: reads sbuf[0+0x40], which nothing has
// written; 128 words in all"; empty if there are none. Reads of DMA and GpSimd cores are not counted.
std::string unwritten_reads(const Figures& figures, const neff::Package& package);

}  // namespace trnsim::runtime
