#include "tools/cli/golden_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trnsim::cli {
namespace {

constexpr std::uint64_t LatestOrder = 1, FirstRandomOrder = 2;

}  // namespace

GoldenCheck::GoldenCheck(const neff::Package& package, const config::Config& config,
                         const runtime::Prepared& prepared, std::uint64_t seed)
    : package_(package), orders_{LatestOrder, FirstRandomOrder + seed} {
    trial::Trial trial{config, package, {}};
    for (std::size_t i = 0; i < package.tensors.size(); ++i) {
        if (neff::is_input(package.tensors[i].kind))
            trial.inputs.emplace(package.tensors[i].name, prepared.contents[i].bytes());
    }
    mistakes_ = trial::find_mistakes(trial, {prepared.run.rounding.stochastic, prepared.run.rounding.seed},
                                     orders_, expected_);
}

std::vector<std::string> GoldenCheck::problems(const runtime::Arrays& outputs) const {
    std::vector<std::string> lines;
    for (const trial::Difference& difference : trial::differences(package_, expected_, outputs))
        lines.push_back(trial::describe(package_, difference));
    return lines;
}

std::string GoldenCheck::text() const {
    return fmt::format("outputs equal to the interpreter's bit for bit, no races (orders {})",
                       fmt::join(orders_, ", "));
}

std::string GoldenCheck::text_of_kernel() const {
    return fmt::format("no races, deadlocks or reads of unwritten bytes (orders {}); not run on the RTL",
                       fmt::join(orders_, ", "));
}

}  // namespace trnsim::cli
