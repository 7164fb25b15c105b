#include "model/system/load_server.hpp"

#include <fmt/format.h>

#include <optional>
#include <stdexcept>
#include <vector>

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

std::optional<config::ServerViolation> violation(const config::Server& server) {
    if (const auto fault = neuronlink::fault_of(link_parameters(server.links))) {
        const std::string key = fmt::format("links.{}", fault->name);
        return config::ServerViolation{key, neuronlink::expectation(*fault, [&key](std::uint64_t value) {
                                           return config::format_server_number(key, value);
                                       })};
    }
    try {
        link_topology(server);
    } catch (const std::invalid_argument& error) {
        return config::ServerViolation{"topology", fmt::format("cables that there can be: {}", error.what())};
    }
    return std::nullopt;
}

}  // namespace

config::Server load_server(const std::string& name_or_path, std::span<const std::string> settings) {
    return config::read_server(name_or_path, violation, settings);
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
