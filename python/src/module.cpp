// The extension module of the Python package trnsim.
#include <dlfcn.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/vector.h>

#include <cstdlib>
#include <filesystem>

#include "base/places/places.hpp"
#include "python/src/bindings.hpp"

// SystemC's library asks for it; sessions drive the simulation themselves.
extern "C" __attribute__((visibility("default"))) int sc_main(int, char**) {
    return 0;
}

namespace {

// Returns the folder of this module.
std::filesystem::path own_folder() {
    Dl_info found{};
    ::dladdr(reinterpret_cast<const void*>(&own_folder), &found);
    return std::filesystem::path(found.dli_fname).parent_path();
}

}  // namespace

NB_MODULE(_trnsim, module) {
    // A wheel that brings the program has it beside the module.
    const std::filesystem::path bundled = own_folder() / "bundle/bin";
    if (std::filesystem::is_directory(bundled)) trnsim::places::add_program_folder(bundled);
    module.def("program_folders", &trnsim::places::program_folders,
               "Returns the folders where the program trnsim may be; the first is that of Python itself.");
    ::setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
    module.doc() = "What the package trnsim stands on: the library's classes.";
    trnsim::python::bind_errors(module);
    trnsim::python::bind_config(module);
    trnsim::python::bind_package(module);
    trnsim::python::bind_builder(module);
    trnsim::python::bind_session(module);
    trnsim::python::bind_communicator(module);
}
