// The inputs and outputs of a package: arrays of the caller, and bytes in the memory of a machine.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "compiler/neff/package.hpp"
#include "runtime/session/image.hpp"
#include "runtime/session/machine.hpp"
#include "runtime/session/result.hpp"

namespace trnsim::runtime {

// Storage bytes by Package::tensors; empty where an execution writes none.
using Contents = std::vector<std::vector<std::uint8_t>>;

// Whether the tensor of this index is elsewhere: neither an array of the caller nor memory of the package.
using IsBound = std::function<bool(std::size_t)>;

// Names of the tensors that `has` is true for, for a message.
std::string names_of(const neff::Package& package, bool (*has)(neff::TensorKind));
// "[24, 32] bf16"
std::string type_text(const neff::Tensor& tensor);

// Throws Error (ExecBadInput) for an input that is missing, that the package does not have, or of another type or
// shape.
Contents contents_of(const neff::Package& package, const Arrays& inputs, const IsBound& bound);

// Zeros in the outputs that are no inputs: of what a kernel does not write nothing is left from before. Not where the
// machine's memory is random at first.
void clear_outputs(Machine& machine, const neff::Package& package, const Image& image, const IsBound& bound);
void write_contents(Machine& machine, const Image& image, const Contents& contents);
Arrays read_outputs(Machine& machine, const neff::Package& package, const Image& image, const IsBound& bound);

}  // namespace trnsim::runtime
