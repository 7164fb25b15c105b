// The built-in kernels.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "compiler/kernels/kernel.hpp"

namespace trnsim::kernels {

// To add a kernel, add a description beside its code and a row in registry.cpp.
std::span<const Kernel> kernels();

// Returns the kernel of this name. Throws ArgumentError that lists the kernels.
const Kernel& find_kernel(std::string_view name);

// Checks the arguments and builds the kernel. Throws ArgumentError or builder::Error.
neff::Package build_kernel(std::string_view name, const std::map<std::string, std::string>& arguments,
                           const target::Chip& target);

// Returns whether build_kernel() of this version made the package.
bool is_built_in(const neff::Package& package);

}  // namespace trnsim::kernels
