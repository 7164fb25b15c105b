// The subjects on which two models of a core are compared: kernels with random inputs, random programs.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "arch/config/config.hpp"
#include "compiler/neff/package.hpp"
#include "runtime/session/runner.hpp"

namespace trnsim::parity {

struct Subject {
    std::string name;
    config::Config config;
    neff::Package package;
    runtime::Arrays inputs;
    runtime::Rounding rounding;
};

// Returns a subject with a package and random values in its inputs.
Subject subject_of(std::string name, const config::Config& config, neff::Package package, std::uint64_t seed);
// Returns a subject with a built-in kernel and these arguments. Throws like build_kernel().
Subject kernel(const config::Config& config, const std::string& name,
               const std::map<std::string, std::string>& arguments, std::uint64_t seed);
// Returns a subject with random programs of the Tensor, Vector and Scalar engines and of DMA in one package:
// the programs with the numbers first to last of the seed.
Subject programs(const config::Config& config, std::uint64_t seed, std::uint64_t first, std::uint64_t last);

// Parses text such as "softmax rows=37 cols=45": a name, then arguments.
Subject kernel_of_text(const config::Config& config, const std::string& text, std::uint64_t seed);
// Returns texts for kernel_of_text(): kernels of the library with shapes that end in the middle of tiles of a
// small core.
std::span<const char* const> small_kernels();

}  // namespace trnsim::parity
