// The kernel builder in Python: the calls of compiler/builder/kernel_builder.hpp with keyword arguments.
#include "python/src/builder.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "arch/target/memory.hpp"
#include "arch/target/target.hpp"
#include "python/src/bindings.hpp"
#include "python/src/whole.hpp"

namespace trnsim::python {
namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;
using builder::KernelBuilder;
using builder::TensorView;
using builder::Tile;

constexpr isa::EnumValue MemoryValues[] = {{0, "sbuf"}, {1, "psum"}};
constexpr isa::EnumValue KindValues[] = {{0, "input"}, {1, "output"}, {2, "scratch"}, {3, "update"}};

// Tensors and tiles.
void bind_places(BuilderClass& builder) {
    builder
        .def(
            "tensor",
            [](KernelBuilder& k, const std::string& name, const std::string& kind, const Dtype& dtype,
               const std::vector<Whole<"shape", std::uint64_t>>& shape) {
                return k.tensor(name,
                                static_cast<neff::TensorKind>(find(kind, {"kind of tensor", KindValues})),
                                dtype, plain(shape), Caller());
            },
            "name"_a, "kind"_a, "dtype"_a, "shape"_a,
            "Declares a tensor in HBM, an \"input\", \"output\", \"update\" or \"scratch\": a view of all of "
            "it.")
        .def(
            "sbuf",
            [](KernelBuilder& k, const Whole<"partitions">& partitions, const Dtype& dtype,
               const std::vector<Whole<"shape">>& shape) {
                return k.sbuf(partitions, dtype, plain(shape), Caller());
            },
            "partitions"_a, "dtype"_a, "shape"_a, "A packed tile in SBUF from partition 0.")
        .def(
            "psum",
            [](KernelBuilder& k, const std::variant<builder::Bank, Whole<"bank">>& bank,
               const Whole<"partitions">& partitions, const Whole<"columns">& columns) {
                const auto* number = std::get_if<Whole<"bank">>(&bank);
                return k.psum(number != nullptr ? builder::Bank{*number} : std::get<builder::Bank>(bank),
                              partitions, columns, Caller());
            },
            "bank"_a, "partitions"_a, "columns"_a,
            "An fp32 tile at the start of a PSUM bank; banks are not reserved.")
        .def(
            "tile",
            [](const KernelBuilder&, const std::string& memory, const Whole<"partition">& partition,
               const Whole<"partitions">& partitions, const Whole<"offset">& offset, const Dtype& dtype,
               const TileAxes& axes) {
                return tile_of({.memory = memory_called(memory), .axes = {}}, partition, partitions, offset,
                               dtype, axes);
            },
            "memory"_a, "partition"_a, "partitions"_a, "offset"_a, "dtype"_a, "axes"_a,
            "A tile anywhere in \"sbuf\" or \"psum\": the first partition, how many, the byte in each, and "
            "(count, step) of each axis. For who plans the memories: nothing is reserved.")
        .def(
            "place",
            [](const KernelBuilder&, const std::optional<std::string>& file, const Whole<"line">& line) {
                Caller::note(file, line);
            },
            "file"_a.none() = nb::none(), "line"_a = 0,
            "File and line that calls are noted with from now on; without them those of their callers.")
        .def("sbuf_left", &KernelBuilder::sbuf_left)
        .def("sbuf_mark", &KernelBuilder::sbuf_mark)
        .def("sbuf_release", &KernelBuilder::sbuf_release, "mark"_a);
}

// Transfers, and what comes after them.
void bind_transfers(BuilderClass& builder) {
    builder
        .def(
            "queue",
            [](KernelBuilder& k, const std::string& name, const Engine& owner) {
                return k.queue(name, owner, Caller());
            },
            "name"_a, "owner"_a = Engine(isa::Engine::Sync), "A DMA queue, triggered by an engine.")
        .def(
            "load",
            [](KernelBuilder& k, builder::Queue queue, const Tile& to, const TensorView& from,
               const After& after) { return k.load(queue, to, from, list(after), Caller()); },
            "queue"_a, "to"_a, "source"_a, "after"_a = NoEvents, "HBM to SBUF or PSUM.")
        .def(
            "store",
            [](KernelBuilder& k, builder::Queue queue, const TensorView& to, const Tile& from,
               const After& after) { return k.store(queue, to, from, list(after), Caller()); },
            "queue"_a, "to"_a, "source"_a, "after"_a = NoEvents, "SBUF or PSUM to HBM.")
        .def(
            "load_transposed",
            [](KernelBuilder& k, builder::Queue queue, const Tile& to, const TensorView& from,
               const After& after) { return k.load_transposed(queue, to, from, list(after), Caller()); },
            "queue"_a, "to"_a, "source"_a, "after"_a = NoEvents,
            "HBM to SBUF or PSUM, transposed by the DMA engines: to[c, ..., r] = source[r, ..., c], two to "
            "four "
            "dimensions.")
        .def(
            "store_transposed",
            [](KernelBuilder& k, builder::Queue queue, const TensorView& to, const Tile& from,
               const After& after) { return k.store_transposed(queue, to, from, list(after), Caller()); },
            "queue"_a, "to"_a, "source"_a, "after"_a = NoEvents,
            "SBUF or PSUM to HBM, transposed by the DMA engines: to[c, ..., r] = source[r, ..., c].")
        .def(
            "gather",
            [](KernelBuilder& k, builder::Queue queue, const Tile& to, const TensorView& from,
               const Tile& index, std::int32_t first, bool skip, const After& after) {
                return k.gather(queue, to, from, index, {.first = first, .skip = skip, .after = list(after)},
                                Caller());
            },
            "queue"_a, "to"_a, "source"_a, "index"_a, "first"_a = 0, "skip"_a = false, "after"_a = NoEvents,
            "Rows of HBM at the indices of a tile in SBUF, i32 [partitions, 1]: to[p] = source[index[p] - "
            "first], or source[index[p] - first, p] where the view has an axis for the partitions. With "
            "`skip` rows out of bounds are left out, else they end the execution.")
        .def(
            "scatter",
            [](KernelBuilder& k, builder::Queue queue, const TensorView& to, const Tile& from,
               const Tile& index, std::int32_t first, bool skip, const AluOp& combine, const After& after) {
                return k.scatter(queue, to, from, index,
                                 {.first = first, .skip = skip, .combine = combine, .after = list(after)},
                                 Caller());
            },
            "queue"_a, "to"_a, "source"_a, "index"_a, "first"_a = 0, "skip"_a = false,
            "combine"_a = AluOp(isa::AluOp::Bypass), "after"_a = NoEvents,
            "To rows of HBM, as gather(). Rows that two indices name are written in no order; with "
            "`combine`, "
            "\"add\", \"multiply\", \"min\" or \"max\", rows are combined with those that are there, one "
            "after "
            "the other.")
        .def(
            "combine",
            [](KernelBuilder& k, builder::Queue queue, const TensorView& to, const AluOp& op,
               const Tile& from,
               const After& after) { return k.combine(queue, to, op, from, list(after), Caller()); },
            "queue"_a, "to"_a, "op"_a, "source"_a, "after"_a = NoEvents,
            "to = op(source, to) in fp32 by the DMA engines: \"add\", \"multiply\", \"min\" or \"max\".")
        .def(
            "wait",
            [](KernelBuilder& k, const Engine& engine, const After& after) {
                k.wait(engine, list(after), Caller());
            },
            "engine"_a, "after"_a, "The engine issues nothing further before the events.")
        .def("finish", &KernelBuilder::finish, "The package. Call once.");
}

}  // namespace

target::Memory memory_called(const std::string& name) {
    return static_cast<target::Memory>(find(name, {"memory", MemoryValues}));
}

void bind_builder(nb::module_& module) {
    bind_views(module);
    BuilderClass builder(
        module, "KernelBuilder",
        "Writes a kernel: a sequence of calls that means what they mean one after the other. Engines and "
        "queues "
        "work at the same time; every call waits for those that write what it reads or use what it "
        "overwrites. "
        "`after` adds events to that; with derive_waits=False they are all that a call waits for. With "
        "steps=True "
        "tiles of buffer() have no place yet, and compile() finds order and places.");
    builder.def(
        "__init__",
        [](KernelBuilder* self, std::string name, const config::Config& config, std::string arguments,
           bool derive_waits, bool steps) {
            new (self) KernelBuilder(std::move(name), std::move(arguments), target::of(config),
                                     derive_waits ? builder::Waits::Derived : builder::Waits::Explicit,
                                     steps ? builder::Sink::Steps : builder::Sink::Eager);
        },
        "name"_a, "config"_a, "arguments"_a = "", "derive_waits"_a = true, "steps"_a = false);
    bind_places(builder);
    bind_transfers(builder);
    bind_loops(module, builder);
    bind_tensor_engine(builder);
    bind_elementwise(builder);
    bind_reductions(builder);
    bind_movement(builder);
    bind_scalar_engine(builder);
    bind_gpsimd(builder);
    bind_collectives(builder);
    bind_steps(module, builder);
}

}  // namespace trnsim::python
