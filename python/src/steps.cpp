// Kernels of steps in Python: buffers without places, and the back end that finds them.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arch/target/memory.hpp"
#include "compiler/builder/gpsimd_command.hpp"
#include "compiler/builder/rules.hpp"
#include "compiler/schedule/compile.hpp"
#include "python/src/builder.hpp"
#include "python/src/whole.hpp"

namespace trnsim::python {
namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;
using builder::KernelBuilder;
using builder::Tile;

void bind_target(nb::module_& module) {
    using target::Core;
    nb::class_<Core>(module, "Target", "The sizes of the core that a kernel is built for.")
        .def_ro("rows", &Core::rows, "Of the array.")
        .def_ro("columns", &Core::columns, "Of the array.")
        .def_ro("partitions", &Core::partitions)
        .def_ro("sbuf_partition", &Core::sbuf_partition, "Bytes of a partition of SBUF.")
        .def_ro("psum_partition", &Core::psum_partition, "Bytes of a partition of PSUM.")
        .def_prop_ro("psum_bank", &target::bank_bytes, "Bytes of a partition of a PSUM bank.")
        .def("start_partitions", &builder::start_partitions, "partitions"_a,
             "Where so many partitions of an operand of Vector, Scalar and GpSimd may begin.");
}

std::vector<std::string> gpsimd_types() {
    std::vector<std::string> names;
    for (const isa::EnumValue& dtype : isa::dtype_values())
        if (builder::is_gpsimd_type(static_cast<isa::Dtype>(dtype.value))) names.emplace_back(dtype.name);
    return names;
}

}  // namespace

void bind_steps(nb::module_& module, BuilderClass& builder) {
    bind_target(module);
    module.def("gpsimd_types", &gpsimd_types, "Element types that GpSimd's microcode knows.");
    builder.def_prop_ro("target", [](const KernelBuilder& k) { return k.target(); })
        .def(
            "buffer",
            [](KernelBuilder& k, const std::string& memory, const Whole<"partitions">& partitions,
               const Whole<"size", std::uint64_t>& size, const std::string& name) {
                return k.buffer(memory_called(memory), partitions, size, name, Caller());
            },
            "memory"_a, "partitions"_a, "size"_a, "name"_a = "",
            "Of steps: bytes of partitions 0 to partitions - 1 in \"sbuf\" or \"psum\" that have no place "
            "yet.")
        .def(
            "compile",
            [](KernelBuilder& k, const config::Config& config, const Whole<"sbuf", std::uint64_t>& sbuf,
               const std::optional<std::pair<builder::Queue, builder::Queue>>& spill, bool keep_repeats) {
                schedule::Options options{.sbuf = sbuf, .spill = {}, .keep_repeats = keep_repeats};
                if (spill) options.spill = {spill->first, spill->second};
                schedule::Result result = schedule::compile(k, config, options);
                std::vector<std::string> spills;
                for (const schedule::Spill& found : result.spills)
                    spills.push_back(schedule::describe(k, found));
                return std::pair(std::move(result.package), std::move(spills));
            },
            "config"_a, "sbuf"_a, "spill"_a.none(), "keep_repeats"_a,
            "trnsim.KernelBuilder.compile() with the configuration that it is built for, of whose times the "
            "order is made.");
}

}  // namespace trnsim::python
