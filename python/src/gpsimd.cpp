// The GpSimd engine of the kernel builder in Python.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "python/src/builder.hpp"
#include "python/src/whole.hpp"

namespace trnsim::python {
namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;
using builder::GpsimdImage;
using builder::KernelBuilder;
using builder::Tile;

// A Python integer that needs 32 bits is u32.
using PythonNumber = std::variant<std::int64_t, float>;

builder::Number to_number(const PythonNumber& number) {
    if (const float* value = std::get_if<float>(&number)) return *value;
    const std::int64_t value = std::get<std::int64_t>(number);
    if (value < INT32_MIN || value > UINT32_MAX)
        throw nb::value_error("an integer of more than 32 bits, expected int32, uint32 or float");
    if (value > INT32_MAX) return static_cast<std::uint32_t>(value);
    return static_cast<std::int32_t>(value);
}

builder::Affine affine(std::int32_t base, std::int32_t partition_step,
                       const std::vector<std::int32_t>& steps) {
    return {base, partition_step, steps};
}

void bind_between_partitions(BuilderClass& builder) {
    builder
        .def(
            "partition_reduce",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const AluOp& op,
               const Whole<"divisor">& divisor, const After& after) {
                return k.partition_reduce(dst, a, op, {.divisor = divisor, .after = list(after)}, Caller());
            },
            "dst"_a, "a"_a, "op"_a, "divisor"_a = 0, "after"_a = NoEvents,
            "Within each core, to its first partition.")
        .def(
            "partition_broadcast",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const After& after) {
                return k.partition_broadcast(dst, a, list(after), Caller());
            },
            "dst"_a, "a"_a, "after"_a = NoEvents, "Within each core, one of its partitions to all.")
        .def(
            "all_partition_reduce",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const AluOp& op,
               const Whole<"divisor">& divisor, const After& after) {
                return k.all_partition_reduce(dst, a, op, {.divisor = divisor, .after = list(after)},
                                              Caller());
            },
            "dst"_a, "a"_a, "op"_a, "divisor"_a = 0, "after"_a = NoEvents, "All partitions to partition 0.")
        .def(
            "all_partition_broadcast",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const After& after) {
                return k.all_partition_broadcast(dst, a, list(after), Caller());
            },
            "dst"_a, "a"_a, "after"_a = NoEvents, "One partition to all.");
}

void bind_order(BuilderClass& builder) {
    builder
        .def(
            "sequence_bounds",
            [](KernelBuilder& k, const Tile& first, const Tile& end, const Tile& ids, const After& after) {
                return k.sequence_bounds(first, end, ids, list(after), Caller());
            },
            "first"_a, "end"_a, "ids"_a, "after"_a = NoEvents)
        .def(
            "sort",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, bool descending,
               const std::optional<Tile>& indices, const After& after) {
                return k.sort(dst, a, {.descending = descending, .indices = indices, .after = list(after)},
                              Caller());
            },
            "dst"_a, "a"_a, "descending"_a = false, "indices"_a = nb::none(), "after"_a = NoEvents)
        .def(
            "top_k",
            [](KernelBuilder& k, const Tile& dst, const Tile& indices, const Tile& a, const After& after) {
                return k.top_k(dst, indices, a, list(after), Caller());
            },
            "dst"_a, "indices"_a, "a"_a, "after"_a = NoEvents,
            "The largest elements of a, as many as dst has, and where they stand.");
}

}  // namespace

void bind_gpsimd(BuilderClass& builder) {
    builder
        .def(
            "gpsimd_image",
            [](KernelBuilder& k, const std::filesystem::path& file) {
                return k.gpsimd_image(file, Caller());
            },
            "file"_a,
            "Takes an image for the GpSimd cores into the kernel: what trnsim customop build wrote.")
        .def("microcode", &KernelBuilder::microcode, "The image of the microcode.")
        .def(
            "gpsimd",
            [](KernelBuilder& k, GpsimdImage image, const After& after) {
                return k.gpsimd(image, list(after), Caller());
            },
            "image"_a, "after"_a = NoEvents, "Loads an image into all cores and starts them.")
        .def(
            "iota",
            [](KernelBuilder& k, const Tile& dst, std::int32_t base, std::int32_t partition_step,
               const std::vector<std::int32_t>& steps, const After& after) {
                return k.iota(dst, affine(base, partition_step, steps), list(after), Caller());
            },
            "dst"_a, "base"_a, "partition_step"_a, "steps"_a, "after"_a = NoEvents,
            "dst = base + partition_step p + the sum of steps[axis] i[axis].")
        .def(
            "affine_select",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const AluOp& compare,
               const PythonNumber& otherwise, std::int32_t base, std::int32_t partition_step,
               const std::vector<std::int32_t>& steps, const After& after) {
                return k.affine_select(dst, a, affine(base, partition_step, steps), compare,
                                       to_number(otherwise), list(after), Caller());
            },
            "dst"_a, "a"_a, "compare"_a, "otherwise"_a, "base"_a, "partition_step"_a, "steps"_a,
            "after"_a = NoEvents, "dst = a where the affine value compares true with 0, else otherwise.")
        .def(
            "local_gather",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const Tile& index, const After& after) {
                return k.local_gather(dst, a, index, list(after), Caller());
            },
            "dst"_a, "a"_a, "index"_a, "after"_a = NoEvents)
        .def(
            "custom_op",
            [](KernelBuilder& k, GpsimdImage image, const std::string& operation,
               const std::vector<Tile>& tensors, const std::vector<PythonNumber>& scalars,
               const Whole<"results">& results, const After& after) {
                std::vector<builder::Number> numbers;
                for (const PythonNumber& scalar : scalars) numbers.push_back(to_number(scalar));
                return k.custom_op(image, operation, tensors, numbers,
                                   {.results = results, .after = list(after)}, Caller());
            },
            "image"_a, "operation"_a, "tensors"_a, "scalars"_a = std::vector<PythonNumber>{}, "results"_a = 1,
            "after"_a = NoEvents, "An operator of an image; the last `results` tensors are what it writes.");
    bind_between_partitions(builder);
    bind_order(builder);
}

}  // namespace trnsim::python
