#include "compiler/neff/package.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

namespace trnsim::neff {

std::string transfer_names(const Package& package, std::uint32_t queue) {
    std::set<std::string_view> names;
    for (const Transfer& transfer : package.transfers) {
        if (transfer.queue == queue) names.insert(transfer.name);
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace trnsim::neff
