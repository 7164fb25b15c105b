// Servers from files: read by arch/config and checked against what the models support.
#pragma once

#include <span>
#include <string>

#include "arch/config/server.hpp"
#include "model/neuronlink/parameters.hpp"
#include "model/neuronlink/topology.hpp"

namespace trnsim::tlm {

// Calls config::read_server() and checks the rules of the links and their faults. Throws config::Error.
config::Server load_server(const std::string& name_or_path, std::span<const std::string> settings = {},
                           std::span<const std::string> cuts = {});

neuronlink::Parameters link_parameters(const config::Links& links);
// Throws std::invalid_argument for links that are not possible.
neuronlink::Topology link_topology(const config::Server& server);

}  // namespace trnsim::tlm
