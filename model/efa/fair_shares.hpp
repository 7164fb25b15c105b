// Max-min fair rates: no flow can have more without taking from a flow that has no more than it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace trnsim::tlm::efa {

// The path of a flow: the numbers of its resources, `used` of them.
struct Path {
    static constexpr std::size_t Longest = 6;  // both adapters, two tiers up and down
    std::array<std::uint32_t, Longest> resources{};
    std::size_t used = 0;

    void add(std::uint32_t resource) { resources[used++] = resource; }
    auto begin() const { return resources.begin(); }
    auto end() const { return resources.begin() + used; }
};

// Returns rates in the unit of the capacities, in the order of the paths. Every path has at least one
// resource, every capacity is above 0. The order of the paths does not change their rates.
std::vector<double> fair_shares(std::span<const Path> paths, std::span<const double> capacities);

}  // namespace trnsim::tlm::efa
