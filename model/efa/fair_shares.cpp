#include "model/efa/fair_shares.hpp"

#include <algorithm>
#include <limits>

namespace trnsim::tlm::efa {

namespace {

struct Resource {
    double left;
    std::size_t waiting = 0;  // flows without a rate

    double share() const { return left / static_cast<double>(waiting); }
};

}  // namespace

// Progressive filling: the share that the scarcest resource gives each of its flows is their rate; then the
// same for the flows and capacities that are left.
std::vector<double> fair_shares(std::span<const Path> paths, std::span<const double> capacities) {
    std::vector<Resource> resources;
    resources.reserve(capacities.size());
    for (const double capacity : capacities) resources.push_back({capacity});
    std::vector<std::size_t> waiting(paths.size());
    for (std::size_t k = 0; k < paths.size(); ++k) {
        waiting[k] = k;
        for (const auto r : paths[k]) ++resources[r].waiting;
    }
    std::vector<double> rates(paths.size());
    while (!waiting.empty()) {
        double least = std::numeric_limits<double>::infinity();
        for (const auto k : waiting)
            for (const auto r : paths[k]) least = std::min(least, resources[r].share());
        const auto is_shortest = [&](std::uint32_t r) { return resources[r].share() <= least; };
        const auto first_left = std::stable_partition(waiting.begin(), waiting.end(), [&](std::size_t k) {
            return std::any_of(paths[k].begin(), paths[k].end(), is_shortest);
        });
        // Capacity is taken by count, not flow by flow, so that rounding does not depend on the order of the
        // flows.
        std::vector<std::size_t> taken(resources.size());
        for (auto k = waiting.begin(); k != first_left; ++k) {
            rates[*k] = least;
            for (const auto r : paths[*k]) ++taken[r];
        }
        for (std::size_t r = 0; r < resources.size(); ++r) {
            resources[r].left = std::max(resources[r].left - least * static_cast<double>(taken[r]), 0.0);
            resources[r].waiting -= taken[r];
        }
        waiting.erase(waiting.begin(), first_left);
    }
    return rates;
}

}  // namespace trnsim::tlm::efa
