// The inputs of a package: arrays of the caller as the bytes of its tensors.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/npy/npy.hpp"
#include "compiler/neff/package.hpp"
#include "runtime/loader/tensor_io.hpp"

namespace trnsim::loader {

using Arrays = std::map<std::string, npy::Array>;

using Inputs = std::map<std::string, Input>;

// Storage bytes, indexed as Package::tensors; empty if an execution writes none.
using Contents = std::vector<Content>;

// Returns whether the tensor of this index is elsewhere: neither an array of the caller nor memory of the
// package.
using IsBound = std::function<bool(std::size_t)>;

// Returns the names of the tensors for which `has` is true, for a message.
std::string names_of(const neff::Package& package, bool (*has)(neff::TensorKind));
// Returns "[24, 32] bf16".
std::string type_text(const neff::Tensor& tensor);

// Throws Error (ExecBadInput) for an input that is missing, that the package does not have, or that has
// another type or shape.
Contents contents_of(const neff::Package& package, const Inputs& inputs, const IsBound& bound);
// `inputs` must outlive the contents.
Contents contents_of(const neff::Package& package, const Arrays& inputs, const IsBound& bound);
Inputs borrowed(const Arrays& arrays);

}  // namespace trnsim::loader
