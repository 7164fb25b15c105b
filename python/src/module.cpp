// The extension module of the Python package trnsim.
#include <nanobind/nanobind.h>

#include <cstdlib>

#include "python/src/bindings.hpp"

// SystemC's library asks for it; sessions drive the simulation themselves.
extern "C" __attribute__((visibility("default"))) int sc_main(int, char**) {
    return 0;
}

NB_MODULE(_trnsim, module) {
    ::setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
    module.doc() = "What the package trnsim stands on: the library's classes.";
    trnsim::python::bind_errors(module);
    trnsim::python::bind_config(module);
    trnsim::python::bind_package(module);
    trnsim::python::bind_builder(module);
    trnsim::python::bind_session(module);
    trnsim::python::bind_communicator(module);
}
