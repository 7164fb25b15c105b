// The parts of the module.
#pragma once

#include <nanobind/nanobind.h>

namespace trnsim::python {

// Exceptions of the library become those of trnsim/errors.py, with the same text.
void bind_errors(nanobind::module_& module);
void bind_config(nanobind::module_& module);
void bind_package(nanobind::module_& module);
void bind_builder(nanobind::module_& module);
void bind_session(nanobind::module_& module);
void bind_communicator(nanobind::module_& module);

}  // namespace trnsim::python
