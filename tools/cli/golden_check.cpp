#include "tools/cli/golden_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/loader/tensor_io.hpp"

namespace trnsim::cli {
namespace {

constexpr std::uint64_t LatestOrder = 1, FirstRandomOrder = 2;

}  // namespace

trial::Trial trial_of(const neff::Package& package, const config::Config& config,
                      const runtime::Prepared& prepared) {
    trial::Trial trial{config, package, {}};
    for (std::size_t i = 0; i < package.tensors.size(); ++i) {
        if (neff::is_input(package.tensors[i].kind))
            trial.inputs.emplace(package.tensors[i].name, prepared.contents[i].bytes());
    }
    return trial;
}

functional::RoundingControl rounding_of(const runtime::Prepared& prepared) {
    return {prepared.run.rounding.stochastic, prepared.run.rounding.seed};
}

GoldenCheck::GoldenCheck(const neff::Package& package, const config::Config& config,
                         const runtime::Prepared& prepared, std::uint64_t seed,
                         const functional::Limits& limits)
    : package_(package), orders_{LatestOrder, FirstRandomOrder + seed} {
    mistakes_ = trial::find_mistakes(trial_of(package, config, prepared), rounding_of(prepared), orders_,
                                     expected_, limits);
}

runtime::Arrays GoldenCheck::outputs() const {
    runtime::Arrays arrays;
    for (const neff::Tensor& tensor : package_.tensors) {
        const auto found = expected_.find(tensor.name);
        if (found != expected_.end()) arrays.emplace(tensor.name, loader::from_device(tensor, found->second));
    }
    return arrays;
}

std::vector<trial::Difference> GoldenCheck::differences(const runtime::Arrays& outputs) const {
    return trial::differences(package_, expected_, outputs);
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
