// Arrays as they come from Python: type as in .npy files, shape, bytes.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/npy/npy.hpp"
#include "compiler/neff/package.hpp"
#include "runtime/loader/contents.hpp"
#include "runtime/session/result.hpp"

namespace trnsim::python {

// Throws runtime::Error for a type that no element type of the device has.
npy::Array to_array(const nanobind::handle& handle);
// `arrays`, whose bytes are not copied, must outlive the result.
loader::Inputs to_inputs(const nanobind::dict& arrays);
// What HBM holds of the arrays of a package's tensors, by name. Throws runtime::Error where type or shape differ.
std::map<std::string, std::vector<std::uint8_t>> bytes_of(const neff::Package& package,
                                                          const loader::Inputs& inputs);

nanobind::tuple to_python(const npy::Array& array);
nanobind::dict to_python(runtime::Arrays arrays);

// fs of a max_time such as "5 ms". Throws runtime::Error.
std::uint64_t to_time(const std::string& max_time);

}  // namespace trnsim::python
