#include "model/system/load_server.hpp"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <stdexcept>
#include <vector>

#include "arch/config/link_faults.hpp"
#include "model/neuronlink/parameter_fault.hpp"

namespace trnsim::tlm {
namespace {

using Kind = config::LinkShape::Kind;

std::vector<std::pair<unsigned, unsigned>> every_pair(unsigned chips) {
    std::vector<std::pair<unsigned, unsigned>> pairs;
    for (unsigned a = 0; a < chips; ++a) {
        for (unsigned b = a + 1; b < chips; ++b) pairs.emplace_back(a, b);
    }
    return pairs;
}

// Returns "; chip 0 has 0.E, 0.S" for a name that begins with a chip of the server; else nothing.
std::string ends_of(const neuronlink::Topology& topology, const std::string& link) {
    const std::string chip = link.substr(0, link.find('.'));
    std::string names;
    for (const neuronlink::Cable& cable : topology.cables)
        for (const neuronlink::End end : {cable.a, cable.b})
            if (std::to_string(end.chip) == chip)
                names += (names.empty() ? "" : ", ") + neuronlink::name_of(end);
    return names.empty() ? "" : fmt::format("; chip {} has {}", chip, names);
}

std::optional<config::ServerViolation> violation_of_faults(const config::Server& server,
                                                           const neuronlink::Topology& topology) {
    const config::Links& links = server.links;
    for (const auto& [key, rate] :
         {std::pair("links.error_rate", links.error_rate), std::pair("links.loss_rate", links.loss_rate)})
        if (rate > 1) return config::ServerViolation{key, "0 to 1"};
    constexpr std::uint64_t LastSeed = std::numeric_limits<std::uint32_t>::max();
    if (links.fault_seed > LastSeed)
        return config::ServerViolation{"links.fault_seed", fmt::format("0 to {}", LastSeed)};
    for (std::size_t i = 0; i < server.faults.size(); ++i) {
        const config::LinkFault& fault = server.faults[i];
        if (neuronlink::ends_named(topology, fault.link).empty())
            return config::ServerViolation{"faults",
                                           std::string(config::LinkNames) + ends_of(topology, fault.link),
                                           fmt::format("link '{}'", fault.link), i};
        if (fault.kind == config::LinkFault::Kind::Lanes &&
            (fault.working == 0 || fault.working > links.lanes))
            return config::ServerViolation{"faults", fmt::format("1 to {}, as links.lanes says", links.lanes),
                                           fmt::format("{} working lanes", fault.working), i};
    }
    return std::nullopt;
}

std::optional<config::ServerViolation> violation(const config::Server& server) {
    if (const auto fault = neuronlink::fault_of(link_parameters(server.links))) {
        const std::string key = fmt::format("links.{}", fault->name);
        return config::ServerViolation{key, neuronlink::expectation(*fault, [&key](std::uint64_t value) {
                                           return config::format_server_number(key, value);
                                       })};
    }
    constexpr std::uint64_t MostBetweenCores = 1'000'000'000'000;
    if (server.links.between_cores > MostBetweenCores)
        return config::ServerViolation{"links.between_cores", "0 to 1 TB/s"};
    std::optional<neuronlink::Topology> topology;
    try {
        topology = link_topology(server);
    } catch (const std::invalid_argument& error) {
        return config::ServerViolation{"topology", fmt::format("cables that there can be: {}", error.what())};
    }
    return violation_of_faults(server, *topology);
}

}  // namespace

config::Server load_server(const std::string& name_or_path, std::span<const std::string> settings,
                           std::span<const std::string> cuts) {
    return config::read_server(name_or_path, violation, settings, cuts);
}

neuronlink::Parameters link_parameters(const config::Links& links) {
    return {.lanes = links.lanes,
            .lane_rate = links.lane_rate,
            .latency = links.latency,
            .receive_time = links.receive_time,
            .buffer = links.buffer,
            .replay = links.replay,
            .ack_interval = links.ack_interval,
            .retry_time = links.retry_time,
            .retry_limit = links.retry_limit,
            .give_up_time = links.give_up_time,
            .training_time = links.training_time,
            .data = links.data,
            .endpoint_time = links.endpoint_time,
            .requests = links.requests,
            .served = links.served,
            .timeout = links.timeout};
}

neuronlink::Topology link_topology(const config::Server& server) {
    const config::LinkShape& shape = server.topology;
    const auto rows = static_cast<unsigned>(shape.rows), columns = static_cast<unsigned>(shape.columns);
    switch (shape.kind) {
        case Kind::Torus:
            return neuronlink::torus(rows, columns);
        case Kind::Mesh:
            return neuronlink::mesh(rows, columns);
        case Kind::FullyConnected:
            return neuronlink::graph(server.chips(), every_pair(server.chips()));
        default:
            return neuronlink::graph(server.chips(), shape.links);
    }
}

}  // namespace trnsim::tlm
