#include "runtime/cluster/between.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "compiler/collectives/generate.hpp"
#include "runtime/cluster/error.hpp"

namespace trnsim::cluster {
namespace {

using collectives::Algorithm;

constexpr std::array Candidates{Algorithm::HalvingDoubling, Algorithm::Ring};

// Halving and doubling sends whole messages: its rounds have different partners, and overlapping rounds would
// share the adapters.
constexpr std::uint64_t Whole = std::numeric_limits<std::int64_t>::max() / 2;

tlm::efa::LinkStatistics busiest(tlm::efa::Network& network) {
    const auto links = network.links();
    return *std::ranges::max_element(links, [](const auto& one, const auto& other) {
        return std::pair(one.full, one.bytes / one.capacity) <
               std::pair(other.full, other.bytes / other.capacity);
    });
}

Between time_of(const collectives::Request& request, std::uint32_t ranks, const config::Server& server,
                const config::Network& network, Algorithm algorithm) {
    const std::uint32_t used = adapters_used(ranks, server.efa.adapters);
    tlm::efa::Network wires(request.ranks, parameters_of(server, network, used));
    const Time time = play(collectives::make_schedule(request, {.algorithm = algorithm}),
                           {.segment = algorithm == Algorithm::Ring ? network.segment : Whole,
                            .step = network.step,
                            .combine = static_cast<double>(network.combine),
                            .ranks = ranks / used},
                           wires);
    return {algorithm, time, wires.waiting(), busiest(wires)};
}

// Returns a lower bound of the time of a ring for any number of bytes.
Time least_time_of_ring(const collectives::Request& request, const config::Server& server,
                        const config::Network& network) {
    const Time rounds = request.operation == collectives::Operation::AllReduce ? 2 : 1;
    return rounds * (request.ranks - 1) * (server.efa.latency + network.step);
}

}  // namespace

std::uint32_t adapters_used(std::uint32_t ranks, std::uint64_t adapters) {
    auto used = static_cast<std::uint32_t>(std::min<std::uint64_t>(ranks, adapters));
    while (used > 1 && ranks % used != 0) --used;
    return used;
}

tlm::efa::Parameters parameters_of(const config::Server& server, const config::Network& network,
                                   std::uint32_t used) {
    const double share = static_cast<double>(used) / static_cast<double>(server.efa.adapters);
    const auto tier = [&](const config::NetworkTier& from) {
        return tlm::efa::Tier{static_cast<unsigned>(from.servers), from.oversubscription * share};
    };
    return {.adapters = 1,
            .bandwidth = server.efa.bandwidth,
            .efficiency = network.efficiency,
            .latency = server.efa.latency,
            .packet = static_cast<std::uint32_t>(network.packet),
            .header = static_cast<std::uint32_t>(network.header),
            .hop = network.hop,
            .tiers = {tier(network.leaf), tier(network.spine)}};
}

void expect_possible(std::uint32_t servers, const config::Server& server,
                     std::optional<Algorithm> algorithm) {
    if (server.efa.adapters == 0)
        throw Error(fmt::format("{}: efa.adapters: found 0, expected at least 1", server.name));
    if (algorithm && std::ranges::find(Candidates, *algorithm) == Candidates.end())
        throw Error(fmt::format("{} between servers, expected ring or halving-doubling", name(*algorithm)));
    if (algorithm == Algorithm::Ring && servers > LongestRing)
        throw Error(fmt::format("ring of {} servers, expected at most {}", servers, LongestRing));
}

Between time_between(const collectives::Request& request, std::uint32_t ranks, const config::Server& server,
                     const config::Network& network, std::optional<Algorithm> algorithm) {
    expect_possible(request.ranks, server, algorithm);
    std::optional<Between> best;
    for (const Algorithm candidate : Candidates) {
        if (algorithm.value_or(candidate) != candidate) continue;
        const bool hopeless = best && (request.ranks > LongestRing ||
                                       best->time <= least_time_of_ring(request, server, network));
        if (hopeless) continue;
        const Between one = time_of(request, ranks, server, network, candidate);
        if (!best || one.time < best->time) best = one;
    }
    return *best;
}

}  // namespace trnsim::cluster
