// The built-in kernels.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "lib/builder/target.hpp"
#include "lib/kernels/arguments.hpp"
#include "lib/neff/package.hpp"

namespace trnsim::kernels {

struct TensorInfo {
    std::string_view name, doc;  // doc: shape, type, meaning
};

struct Kernel {
    std::string_view name, doc;
    std::span<const ArgumentInfo> arguments;
    std::span<const TensorInfo> inputs, outputs;
    neff::Package (*build)(const Arguments& arguments, const builder::Target& target);
};

std::span<const Kernel> kernels();

// Throws ArgumentError that lists the kernels.
const Kernel& find_kernel(std::string_view name);

// Checks the arguments and builds. Throws ArgumentError or builder::Error.
neff::Package build_kernel(std::string_view name, const std::map<std::string, std::string>& arguments,
                           const builder::Target& target);

// Whether build_kernel() of this version made it.
bool is_built_in(const neff::Package& package);

}  // namespace trnsim::kernels
