// Compiles custom operators of GpSimd cores.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace trnsim::customop {

// Returns the executable, in ELF, of C++ sources with the runtime and the device library, which are found
// beside the program (base/places), for cores with a VLEN (arch/firmware/image.hpp lists the possible ones).
// The compiler's output goes to the standard streams of this process. Throws std::runtime_error without the
// compiler, for sources that are missing or that the compiler refuses, and for an image that does not fit.
std::vector<std::uint8_t> build(std::span<const std::string> sources, std::uint32_t vlen);

// Returns a makefile's rule with the dependences of `target`: the sources and the headers that they include.
// Call it after build() has compiled the same sources.
std::string dependences(std::span<const std::string> sources, std::uint32_t vlen, const std::string& target);

}  // namespace trnsim::customop
