#include <exception>
#include <string_view>

#include "arch/config/config.hpp"
#include "base/files/error.hpp"
#include "compiler/builder/error.hpp"
#include "compiler/kernels/arguments.hpp"
#include "compiler/neff/error.hpp"
#include "compiler/schedule/compile.hpp"
#include "model/simulation/simulation.hpp"
#include "python/src/bindings.hpp"
#include "runtime/communicator/error.hpp"
#include "runtime/session/error.hpp"
#include "testbench/functional/interpretation.hpp"

namespace trnsim::python {
namespace {

namespace nb = nanobind;

void raise(const char* name, const std::exception& error, Status status = Status::Invalid) {
    const nb::object type = nb::module_::import_("trnsim.errors").attr(name);
    PyErr_SetObject(type.ptr(), type(nb::str(error.what()), static_cast<int>(status)).ptr());
}

// What is none of these goes on to nanobind's own translation.
void translate(const std::exception_ptr& pointer, void*) {
    try {
        std::rethrow_exception(pointer);
    } catch (const config::Error& error) {
        raise("ConfigError", error);
    } catch (const schedule::NoRoom& error) {
        const nb::object type = nb::module_::import_("trnsim.errors").attr("AllocationError");
        PyErr_SetObject(type.ptr(),
                        type(nb::str(error.what()), nb::str(error.file.c_str()), error.line).ptr());
    } catch (const builder::CallError& error) {
        const nb::object type = nb::module_::import_("trnsim.errors").attr("KernelError");
        PyErr_SetObject(type.ptr(), type(nb::str(error.what()), static_cast<int>(Status::Invalid),
                                         nb::str(error.reason.c_str()))
                                        .ptr());
    } catch (const builder::Error& error) {
        raise("KernelError", error);
    } catch (const kernels::ArgumentError& error) {
        raise("KernelError", error);
    } catch (const neff::Error& error) {
        raise("PackageError", error);
    } catch (const functional::Error& error) {
        raise("InterpreterError", error);
    } catch (const runtime::Error& error) {
        raise("Error", error, error.status);
    } catch (const communicator::Failure& error) {
        raise("ExecutionError", error, error.status);
    } catch (const tlm::SecondSimulation& error) {
        raise("Error", error);
    } catch (const tlm::SimulationError& error) {
        raise("ExecutionError", error, Status::ExecUnitUnrecoverable);
    } catch (const std::runtime_error& error) {
        raise("Error", error);
    }
}

}  // namespace

void bind_errors(nb::module_& module) {
    nb::register_exception_translator(translate);
    nb::enum_<Status> statuses(module, "Status", nb::is_arithmetic(),
                               "How a call ended, in the numbers of libnrt (NRT_STATUS).");
    // The texts are literals.
    constexpr std::string_view prefix = "NRT_";
    for (const StatusInfo& info : Statuses)
        statuses.value(info.nrt.substr(prefix.size()).data(), info.status, info.text.data());
}

}  // namespace trnsim::python
