#include "tools/importers/matmuls.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text/printable.hpp"
#include "compiler/kernels/registry.hpp"
#include "tools/importers/error.hpp"
#include "tools/importers/table.hpp"

namespace trnsim::importers {
namespace {

bool same_shape(const Matmul& a, const Matmul& b) {
    return a.m == b.m && a.n == b.n && a.k == b.k && a.ta == b.ta && a.tb == b.tb;
}

// A case of the sweep.
struct Case {
    const Matmul* first;
    std::vector<std::string> labels;
};

std::vector<Case> cases_of(const std::vector<Matmul>& matmuls) {
    std::vector<Case> cases;
    for (const Matmul& one : matmuls) {
        std::string label = one.times == 1 ? one.label : fmt::format("{} x {}", one.label, one.times);
        const auto known =
            std::ranges::find_if(cases, [&one](const Case& other) { return same_shape(*other.first, one); });
        if (known == cases.end())
            cases.push_back({&one, {std::move(label)}});
        else if (std::ranges::find(known->labels, label) == known->labels.end())
            known->labels.push_back(std::move(label));
    }
    return cases;
}

}  // namespace

void check_shapes(const std::vector<Matmul>& matmuls) {
    const auto& arguments = kernels::find_kernel("matmul").arguments;
    for (const Matmul& one : matmuls) {
        try {
            kernels::Arguments(
                "matmul", arguments,
                {{"M", std::to_string(one.m)}, {"K", std::to_string(one.k)}, {"N", std::to_string(one.n)}});
        } catch (const kernels::ArgumentError& error) {
            throw Error(fmt::format("{}: {}", one.place, error.what()));
        }
    }
}

std::string sweep_of(const std::vector<Matmul>& matmuls, const std::filesystem::path& source,
                     const std::string& format, const SweepOptions& options) {
    std::string text = fmt::format(
        "# Written by trnsim import {} from {}. A label names the layers of a shape; \"x N\" means N "
        "products.\n"
        "name: {}\n"
        "base: {}\n"
        "fidelity: {}\n"
        "check: false                          # true compares every output with the interpreter's\n"
        "metrics: [cycles, time, macs_per_cycle, matmul_utilisation, dma_busy, hbm_bytes]\n"
        "kernels:\n",
        format, text::printable(source.filename().string()), name_of(source), yaml_scalar(options.base),
        options.fidelity);
    for (const Case& one : cases_of(matmuls)) {
        const Matmul& shape = *one.first;
        text += fmt::format("  - matmul: {{ label: {}, M: {}, K: {}, N: {}, dtype: {}",
                            yaml_scalar(fmt::format("{}", fmt::join(one.labels, ", "))), shape.m, shape.k,
                            shape.n, options.dtype);
        if (shape.ta) text += fmt::format(", ta: {}", *shape.ta ? 1 : 0);
        if (shape.tb) text += fmt::format(", tb: {}", *shape.tb ? 1 : 0);
        text += " }\n";
    }
    return text;
}

}  // namespace trnsim::importers
