// Whether tensors of the device can stand for inputs and outputs of a package.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "compiler/neff/package.hpp"
#include "runtime/session/session.hpp"

namespace trnsim::runtime {

// All throw Error (ExecBadInput).

// Index of the tensor that may be bound as `name`.
std::size_t find_outside(const neff::Package& package, std::string_view name);

// Type and shape, where the tensor of the device has them, else its size.
void check_fits(const neff::Package& package, const neff::Tensor& wanted, const DeviceTensor& given);

// One place for two names is a race, unless both are read only. `bound`: by Package::tensors.
void check_distinct(const neff::Package& package, std::span<const std::optional<TensorId>> bound);

// A collective has its tensors where they were when it was loaded: `placed` are addresses of then, `now` of this execution.
void check_collectives(const neff::Package& package, std::span<const std::uint64_t> placed,
                       std::span<const std::uint64_t> now);

}  // namespace trnsim::runtime
