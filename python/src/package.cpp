#include "compiler/neff/package.hpp"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <filesystem>

#include "arch/target/target.hpp"
#include "compiler/kernels/registry.hpp"
#include "compiler/neff/neff.hpp"
#include "compiler/neff/unwritten.hpp"
#include "python/src/arrays.hpp"
#include "python/src/bindings.hpp"
#include "python/src/names.hpp"
#include "python/src/whole.hpp"
#include "runtime/session/observer.hpp"
#include "testbench/functional/interpreter.hpp"

namespace trnsim::python {
namespace {

namespace nb = nanobind;
using neff::Package;

constexpr const char* KindNames[] = {"input", "output", "scratch", "update"};

nb::object text(std::string_view text) {
    return nb::str(text.data(), text.size());
}

nb::list tensors(const Package& package) {
    nb::list list;
    for (const neff::Tensor& tensor : package.tensors) {
        nb::dict entry;
        entry["name"] = tensor.name;
        entry["kind"] = KindNames[static_cast<std::size_t>(tensor.kind)];
        entry["dtype"] = text(isa::name_of(tensor.dtype));
        entry["shape"] = nb::tuple(nb::cast(tensor.shape));
        list.append(entry);
    }
    return list;
}

std::vector<std::string> program(const Package& package, const Name<isa::Engine>& name) {
    const auto engine = static_cast<std::uint32_t>(static_cast<isa::Engine>(name));
    std::vector<std::string> lines;
    for (std::size_t pc = 0; pc < package.programs[engine].size(); ++pc)
        lines.push_back(runtime::describe(package, engine, pc));
    return lines;
}

// Bytes by name, of everything that is written.
nb::dict interpret(const Package& package, const nb::dict& inputs, bool stochastic, const Whole<"seed">& seed,
                   const Whole<"order", std::uint64_t>& order,
                   const std::optional<Whole<"max_work", std::uint64_t>>& max_work) {
    functional::Options options = functional::in_order(order, {stochastic, seed});
    if (max_work) options.limits.work = *max_work;
    functional::Interpreter machine(package, options);
    for (const auto& [name, bytes] : bytes_of(package, to_inputs(inputs))) machine.set(name, bytes);
    {
        const nb::gil_scoped_release release;
        machine.run();
    }
    nb::dict outputs;
    for (const neff::Tensor& tensor : package.tensors) {
        if (!neff::is_output(tensor.kind)) continue;
        const std::vector<std::uint8_t>& bytes = machine.get(tensor.name);
        outputs[tensor.name.c_str()] = nb::bytes(bytes.data(), bytes.size());
    }
    return outputs;
}

// Name and text of every output with elements that no transfer writes.
std::vector<std::pair<std::string, std::string>> unwritten_outputs(const Package& package) {
    std::vector<std::pair<std::string, std::string>> all;
    for (const neff::UnwrittenOutput& output : neff::unwritten_outputs(package))
        all.emplace_back(package.tensors[output.tensor].name, neff::describe(package, output));
    return all;
}

nb::list kernels() {
    const auto named = [](const auto& infos) {
        nb::dict all;
        for (const auto& info : infos) all[text(info.name)] = text(info.doc);
        return all;
    };
    nb::list list;
    for (const kernels::Kernel& kernel : kernels::kernels()) {
        nb::dict arguments;
        for (const kernels::ArgumentInfo& info : kernel.arguments) {
            nb::dict entry;
            entry["doc"] = text(info.doc);
            entry["default"] = info.fallback.empty() ? nb::none() : text(info.fallback);
            arguments[text(info.name)] = entry;
        }
        nb::dict entry;
        entry["name"] = text(kernel.name);
        entry["doc"] = text(kernel.doc);
        entry["arguments"] = arguments;
        entry["inputs"] = named(kernel.inputs);
        entry["outputs"] = named(kernel.outputs);
        list.append(entry);
    }
    return list;
}

}  // namespace

void bind_package(nb::module_& module) {
    nb::class_<Package>(module, "Package", "A compiled kernel: what a .neff file holds.")
        .def_static(
            "read", [](const std::filesystem::path& path) { return neff::read(path); }, nb::arg("path"))
        .def(
            "write",
            [](const Package& package, const std::filesystem::path& path) { neff::write(path, package); },
            nb::arg("path"))
        .def_ro("name", &Package::name)
        .def_ro("arguments", &Package::arguments)
        .def_prop_ro("tensors", &tensors, nb::sig("def tensors(self) -> list[dict[str, typing.Any]]"),
                     "Name, kind, dtype and shape of every tensor in HBM.")
        .def("program", &program, nb::arg("engine"),
             "The disassembled program of an engine, a line an instruction.")
        .def("__repr__", [](const Package& package) {
            return "<trnsim.Package '" + package.name + (package.arguments.empty() ? "" : " ") +
                   package.arguments + "'>";
        });
    module.def("interpret", &interpret, nb::arg("package"), nb::arg("inputs"), nb::arg("stochastic"),
               nb::arg("seed"), nb::arg("order"), nb::arg("max_work").none());
    module.def("unwritten_outputs", &unwritten_outputs, nb::arg("package"));
    module.def("kernels", &kernels);
    module.def(
        "build_kernel",
        [](const std::string& name, const std::map<std::string, std::string>& arguments,
           const config::Config& config) {
            return kernels::build_kernel(name, arguments, target::of(config));
        },
        nb::arg("name"), nb::arg("arguments"), nb::arg("config"));
}

}  // namespace trnsim::python
