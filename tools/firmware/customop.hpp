// Compiles custom operators of GpSimd cores.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace trnsim::customop {

// The executable, in ELF, of C++ sources with the runtime and the device library, which are found beside the
// program (base/places), for cores with a VLEN (arch/firmware/image.hpp says which there are). What the compiler says goes to the standard streams of this process. Throws
// std::runtime_error: the compiler is not there, sources that are missing or that it refuses, an image that
// does not fit.
std::vector<std::uint8_t> build(std::span<const std::string> sources, std::uint32_t vlen);

// A makefile's rule of what `target` depends on: the sources and the headers that they include. The same
// sources have been compiled by build().
std::string dependences(std::span<const std::string> sources, std::uint32_t vlen, const std::string& target);

}  // namespace trnsim::customop
