// Outputs of a run against the interpreter's.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "testbench/neff/package.hpp"
#include "testbench/runtime/runner.hpp"

namespace trnsim::sweep {

using TensorContents = std::map<std::string, std::vector<std::uint8_t>>;  // by name

// Which outputs are not, byte for byte, what the interpreter computes from these inputs with this rounding;
// empty: none. Throws functional::Error when the interpreter refuses the kernel.
std::string output_differences(const neff::Package& package, const TensorContents& inputs,
                               const runtime::Arrays& outputs, const runtime::Rounding& rounding = {});

}  // namespace trnsim::sweep
