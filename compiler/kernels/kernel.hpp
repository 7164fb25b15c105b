// The description of a built-in kernel.
#pragma once

#include <span>
#include <string_view>

#include "arch/target/target.hpp"
#include "compiler/kernels/arguments.hpp"
#include "compiler/neff/package.hpp"

namespace trnsim::kernels {

struct TensorInfo {
    std::string_view name, doc;  // doc: shape, type, meaning
};

struct Kernel {
    std::string_view name, doc;
    std::span<const ArgumentInfo> arguments;
    std::span<const TensorInfo> inputs, outputs;
    neff::Package (*build)(const Arguments& arguments, const target::Chip& target);
};

}  // namespace trnsim::kernels
