#include "arch/config/config.hpp"

#include <nanobind/stl/string.h>
#include <yaml-cpp/yaml.h>

#include "python/src/bindings.hpp"

namespace trnsim::python {
namespace {

namespace nb = nanobind;

// Mappings as dictionaries, whole numbers as int, everything else as text.
nb::object to_python(const YAML::Node& node) {
    if (node.IsMap()) {
        nb::dict keys;
        for (const auto& entry : node) keys[nb::str(entry.first.Scalar().c_str())] = to_python(entry.second);
        return keys;
    }
    std::uint64_t number = 0;
    if (YAML::convert<std::uint64_t>::decode(node, number)) return nb::int_(number);
    return nb::str(node.Scalar().c_str());
}

}  // namespace

void bind_config(nb::module_& module) {
    using config::Config;
    nb::class_<Config>(module, "Config", "Sizes, clocks and latencies of a device.")
        .def_static("load", &config::load, nb::arg("name_or_path"),
                    "The configuration of a name (\"trn1\", \"small16\") or of a .yaml file.")
        .def_ro("name", &Config::name)
        .def(
            "show", [](const Config& config) { return config::show(config); }, "All keys as YAML.")
        .def(
            "keys", [](const Config& config) { return to_python(YAML::Load(config::show(config))); },
            nb::sig("def keys(self) -> dict[str, typing.Any]"), "All keys as a dictionary.")
        .def(
            "__eq__", [](const Config& a, const Config& b) { return a == b; }, nb::is_operator(),
            nb::sig("def __eq__(self, other: object, /) -> bool"))
        .def("__repr__", [](const Config& config) { return "<trnsim.Config '" + config.name + "'>"; });
}

}  // namespace trnsim::python
