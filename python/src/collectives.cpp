// Collectives of the kernel builder in Python.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "compiler/collectives/generate.hpp"
#include "python/src/builder.hpp"
#include "python/src/collective_names.hpp"
#include "python/src/whole.hpp"

namespace trnsim::python {

namespace nb = nanobind;
using nb::literals::operator""_a;
using builder::KernelBuilder;
using builder::TensorView;
using collectives::Operation;

namespace {

std::uint64_t elements(const TensorView& view) {
    std::uint64_t count = 1;
    for (const auto& axis : view.axes) count *= axis.count;
    return count;
}

// Elements of a rank that the request counts: all-gather and all-reduce those of the input, reduce-scatter those of the
// output, all-to-all one part of the input.
std::uint64_t count_of(Operation operation, const TensorView& output, const TensorView& input,
                       std::size_t members) {
    if (operation == Operation::Barrier) return 0;
    if (operation == Operation::ReduceScatter) return elements(output);
    return elements(input) / (operation == Operation::AllToAll ? members : 1);
}

}  // namespace

void bind_collectives(BuilderClass& builder) {
    builder.def(
        "collective",
        [](KernelBuilder& k, builder::Queue queue, const std::string& operation, const TensorView& output,
           const TensorView& input, const Whole<"ranks">& given_ranks, const std::string& reduction,
           const std::vector<std::vector<Whole<"groups">>>& groups,
           const std::vector<std::pair<Whole<"pairs">, Whole<"pairs">>>& pairs, const Whole<"root">& root,
           const std::optional<std::string>& algorithm, bool stochastic_rounding, const After& after) {
            const std::uint32_t ranks = given_ranks;
            const Operation what = named("operation", operation, Operations);
            const std::size_t members = groups.empty() ? ranks : groups.front().size();
            neff::Collective collective{
                {.operation = what,
                 .reduction = named("reduction", reduction, Reductions),
                 .dtype = input.dtype,
                 .count = count_of(what, output, input, std::max<std::size_t>(1, members)),
                 .ranks = ranks,
                 .groups = plain(groups),
                 .pairs = plain(pairs),
                 .root = root,
                 .stochastic = stochastic_rounding}};
            if (algorithm)
                collective.algorithm = named("algorithm", *algorithm, collectives::algorithms(what));
            return k.collective(queue, output, input, std::move(collective), list(after), Caller());
        },
        "queue"_a, "operation"_a, "output"_a, "input"_a, "ranks"_a, "reduction"_a = "add",
        "groups"_a = std::vector<std::vector<std::uint32_t>>{},
        "pairs"_a = std::vector<std::pair<std::uint32_t, std::uint32_t>>{}, "root"_a = 0,
        "algorithm"_a = nb::none(), "stochastic_rounding"_a = false, "after"_a = NoEvents,
        "A collective of the ranks that run this kernel, or others with the same ones in the same order: "
        "\"all-reduce\", \"all-gather\", \"reduce-scatter\", \"all-to-all\", \"broadcast\", \"permute\", "
        "\"send-receive\" or \"barrier\" (docs/collectives.md). Output and input are this rank's in HBM, of "
        "one element type, without gaps; one view for both is in place. The queue has nothing else.");
}

}  // namespace trnsim::python
