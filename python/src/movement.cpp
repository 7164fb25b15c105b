// The Vector engine of the kernel builder in Python: search, movement, random numbers.
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "python/src/builder.hpp"
#include "python/src/whole.hpp"

namespace trnsim::python {

namespace nb = nanobind;
using nb::literals::operator""_a;
using builder::KernelBuilder;
using builder::Scalar;
using builder::Tile;

void bind_movement(BuilderClass& builder) {
    const Rounding core(isa::Rounding::Core);
    builder
        .def(
            "max8",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const After& after,
               const Rounding& rounding) {
                return k.max8(dst, a, {.after = list(after), .rounding = rounding}, Caller());
            },
            "dst"_a, "a"_a, "after"_a = NoEvents, "rounding"_a = core)
        .def(
            "find_index8",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const Tile& values, const After& after) {
                return k.find_index8(dst, a, values, list(after), Caller());
            },
            "dst"_a, "a"_a, "values"_a, "after"_a = NoEvents)
        .def(
            "match_replace8",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const Tile& values,
               const Scalar& replacement, const After& after, const Rounding& rounding) {
                return k.match_replace8(dst, a, values, replacement,
                                        {.after = list(after), .rounding = rounding}, Caller());
            },
            "dst"_a, "a"_a, "values"_a, "replacement"_a, "after"_a = NoEvents, "rounding"_a = core)
        .def(
            "load_shuffle_mask",
            [](KernelBuilder& k, const std::vector<Whole<"mask", std::uint8_t>>& mask, const After& after) {
                return k.load_shuffle_mask(plain(mask), list(after), Caller());
            },
            "mask"_a, "after"_a = NoEvents)
        .def(
            "stream_shuffle",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const After& after) {
                return k.stream_shuffle(dst, a, list(after), Caller());
            },
            "dst"_a, "a"_a, "after"_a = NoEvents)
        .def(
            "transpose_block",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const After& after) {
                return k.transpose_block(dst, a, list(after), Caller());
            },
            "dst"_a, "a"_a, "after"_a = NoEvents)
        .def(
            "dropout",
            [](KernelBuilder& k, const Tile& dst, const Tile& a, const Scalar& probability,
               const After& after, const Rounding& rounding) {
                return k.dropout(dst, a, probability, {.after = list(after), .rounding = rounding}, Caller());
            },
            "dst"_a, "a"_a, "probability"_a, "after"_a = NoEvents, "rounding"_a = core)
        .def(
            "rng",
            [](KernelBuilder& k, const Tile& dst, const After& after) {
                return k.rng(dst, list(after), Caller());
            },
            "dst"_a, "after"_a = NoEvents)
        .def(
            "set_rng_seed",
            [](KernelBuilder& k, const Tile& seed, const After& after) {
                return k.set_rng_seed(seed, list(after), Caller());
            },
            "seed"_a, "after"_a = NoEvents);
}

}  // namespace trnsim::python
