// Checks whether tensors of the device can stand for inputs and outputs of a package.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "compiler/neff/package.hpp"
#include "runtime/session/session.hpp"

namespace trnsim::runtime {

// All functions throw Error (ExecBadInput).

// Returns the index of the tensor that may be bound as `name`.
std::size_t find_outside(const neff::Package& package, std::string_view name);

// Checks type and shape if the tensor of the device has them, otherwise its size.
void check_fits(const neff::Package& package, const neff::Tensor& wanted, const DeviceTensor& given);

// One place for two names is a race, unless both only read it. `bound` is indexed as Package::tensors.
void check_distinct(const neff::Package& package, std::span<const std::optional<TensorId>> bound);

// A collective needs its tensors at the places that they had at load(): `placed` are those addresses, `now`
// those of this execution.
void check_collectives(const neff::Package& package, std::span<const std::uint64_t> placed,
                       std::span<const std::uint64_t> now);

}  // namespace trnsim::runtime
