// Arrays as they come from Python: type as in .npy files, shape, bytes.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>

#include "lib/npy/npy.hpp"
#include "lib/runtime/result.hpp"

namespace trnsim::python {

// Throws runtime::Error for a type that no element type of the device has.
npy::Array to_array(const nanobind::handle& handle);
runtime::Arrays to_arrays(const nanobind::dict& arrays);

nanobind::tuple to_python(const npy::Array& array);
nanobind::dict to_python(const runtime::Arrays& arrays);

// fs of a max_time such as "5 ms". Throws runtime::Error.
std::uint64_t to_time(const std::string& max_time);

}  // namespace trnsim::python
