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
#include <filesystem>
#include <span>
#include <vector>

#include "base/npy/npy.hpp"
#include "compiler/neff/package.hpp"
#include "runtime/loader/content.hpp"

namespace trnsim::loader {

// An array that is an input: its bytes are made when they are needed.
struct Input {
    npy::Type type = npy::Type::F4;
    std::vector<std::uint64_t> shape;
    Content data;
};
// `array` must outlive it.
Input borrowed(const npy::Array& array);
// A .npy file, whose header is read now and whose data is read each time. Throws npy::Error or files::Error.
Input input_of(const std::filesystem::path& file);

// Returns the tensor's bytes in HBM as to_device() does, made when they are needed. Throws the same errors
// now.
Content to_device(const neff::Tensor& tensor, const Input& input);

// Returns the tensor's bytes in HBM. Rounding is to nearest even. Throws Error that names the tensor when
// type or shape differ.
std::vector<std::uint8_t> to_device(const neff::Tensor& tensor, const npy::Array& array);

// Returns the array of a tensor's bytes.
npy::Array from_device(const neff::Tensor& tensor, std::vector<std::uint8_t> bytes);

// Does the same with an input of the tensor's own type.
Input input_of(const neff::Tensor& tensor, Content bytes);

// Returns the values of a floating-point tensor's elements in fp32. Throws Error for another tensor.
std::vector<std::uint8_t> as_fp32(const neff::Tensor& tensor, std::span<const std::uint8_t> bytes);

// Returns the same with the values of a floating-point tensor in fp32. Throws Error for another tensor.
npy::Array as_fp32(const neff::Tensor& tensor, const npy::Array& array);

}  // namespace trnsim::loader
