// The inputs of a package: arrays of the caller as the bytes of its tensors.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/npy/npy.hpp"
#include "compiler/neff/package.hpp"

namespace trnsim::loader {

using Arrays = std::map<std::string, npy::Array>;

// Storage bytes, indexed as Package::tensors; empty if an execution writes none.
using Contents = std::vector<std::vector<std::uint8_t>>;

// Returns whether the tensor of this index is elsewhere: neither an array of the caller nor memory of the
// package.
using IsBound = std::function<bool(std::size_t)>;

// Returns the names of the tensors for which `has` is true, for a message.
std::string names_of(const neff::Package& package, bool (*has)(neff::TensorKind));
// Returns "[24, 32] bf16".
std::string type_text(const neff::Tensor& tensor);

// Throws Error (ExecBadInput) for an input that is missing, that the package does not have, or that has
// another type or shape.
Contents contents_of(const neff::Package& package, const Arrays& inputs, const IsBound& bound);

}  // namespace trnsim::loader
