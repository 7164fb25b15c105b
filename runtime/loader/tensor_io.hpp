// NumPy arrays and tensors in a kernel's own element type.
//
//   kernel type   accepted arrays                    written as
//   fp32 tf32     <f4                                <f4
//   bf16          <f4 (rounded), <V2 (as is)         <V2
//   fp16          <f4 (rounded), <f2 (as is)         <f2
//   fp8           <f4 (rounded), |V1 (as is)         |V1
//   integers      the array of the same type         the same
#pragma once

#include <cstdint>
#include <vector>

#include "base/npy/npy.hpp"
#include "compiler/neff/package.hpp"

namespace trnsim::loader {

// Returns the tensor's bytes in HBM. Rounding is to nearest even. Throws Error that names the tensor when
// type or shape differ.
std::vector<std::uint8_t> to_device(const neff::Tensor& tensor, const npy::Array& array);

// Returns the array of a tensor's bytes.
npy::Array from_device(const neff::Tensor& tensor, std::vector<std::uint8_t> bytes);

// Returns the same with the values of a floating-point tensor in fp32. Throws Error for another tensor.
npy::Array as_fp32(const neff::Tensor& tensor, const npy::Array& array);

}  // namespace trnsim::loader
